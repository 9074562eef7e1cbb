/// What the transfers of a transport teach for the next ones.
struct Experience: Sendable {
    let sizes = RecentSizes()
    let protocols = KnownProtocols()

    /// What to expect of a transfer that is about to start.
    func forecast(for request: TransportRequest) -> Forecast {
        let size = sizes.expected(request)
        let isSmall = size == .small && sizes.haveBeenSmall
        return Forecast(size: size, isSmall: isSmall, prefersSharing: isSmall && protocols.prefersSharing(request))
    }
}

/// What is expected of a transfer when its loop is chosen.
struct Forecast: Sendable {
    /// The size to choose a loop for. It may be a guess.
    let size: RecentSizes.Expectation
    /// Whether the body is small, as the latest bodies were.
    let isSmall: Bool
    /// Whether the transfer should rather wait for a connection of another transfer than open one.
    ///
    /// Not before bodies have been small: large ones on one connection share what the line gives to one.
    let prefersSharing: Bool
}
