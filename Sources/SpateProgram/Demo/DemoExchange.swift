/// A request and what became of it, as the demo's server saw it.
struct DemoExchange: Sendable, Equatable {
    enum End: Sendable, Equatable {
        case whole, cut, reset, clientLeft
    }

    var name: String
    var path: String
    /// Where the range that was asked for began; `nil` where all was asked for.
    var start: Int?
    var ifRange: String?
    var status = 0
    /// Bytes of the body.
    var sent = 0
    /// `nil` as long as it goes on.
    var end: End?
    var began: ContinuousClock.Instant

    init(_ request: DemoRequest, began: ContinuousClock.Instant = .now) {
        name = request.name
        path = request.path
        start = request.rangeStart
        ifRange = request.ifRange
        self.began = began
    }
}
