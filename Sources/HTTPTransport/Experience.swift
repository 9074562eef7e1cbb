/// What the transfers of a transport teach for the next ones.
struct Experience: Sendable {
    let sizes: RecentSizes
    let protocols: KnownProtocols

    init() {
        sizes = RecentSizes()
        protocols = KnownProtocols(sizes)
    }
}
