import Glibc

/// A request as the network saw it.
package struct NetworkRequest: Sendable {
    package let number: Int
    /// When the process started it.
    package let time: Duration
    package let process: Int32
    /// Without credentials.
    package let url: String
    package let origin: String
    /// The address that the process has chosen.
    package let address: String?
    /// Whether that address is not the host's.
    package let isStray: Bool
    /// Such as `5-9`.
    package let range: String?
    package let ifRange: String?
    package let ifNoneMatch: String?
    package let authorization: String?
    package let cookie: String?
    /// Whether a rate limits it.
    package let isLimited: Bool
    /// What its host's line had when it was started. See ``NetworkFault/ofLines``.
    package let lines: [NetworkFault]
    /// Until when that origin had told this process to wait, when it started this request; `nil` if it had not.
    package let quietUntil: Duration?
    /// Which request's answer had said so.
    package let quietCause: Int?
    /// Whether the process had another request for this URL under way.
    package let isHelper: Bool

    /// The connection's number at its host; `nil` if it never got one.
    package internal(set) var connection: Int?
    /// `nil` if no head was received.
    package internal(set) var status: Int?
    /// What made its host refuse it, if that did.
    package internal(set) var refusal: NetworkFault?
    /// How long the answer asked to wait.
    package internal(set) var retryAfter: Duration?
    /// How many bytes of the body were passed on.
    package internal(set) var bytes = 0
    /// How it ended; `nil` while it runs, or if its process was killed.
    package internal(set) var end: String?

    /// Whether it ended early, by no fault of the process.
    package internal(set) var isCut = false

    /// Whether the process started it although it knew of a Retry-After that was not over.
    package var isTooEarly: Bool { quietUntil.map { time < $0 } ?? false }
}

/// The head of a 429 or a 503.
package struct NetworkRefusal: Sendable {
    /// The number of its request.
    package let request: Int
    package let time: Duration
    /// How many connections the process had at the host, with this one.
    package let openCount: Int
}

/// A secret that was sent where it does not belong.
package struct CredentialLeak: Sendable {
    package let request: Int
    package let url: String
    /// Which field has it, or `credentials`.
    package let field: String
}
