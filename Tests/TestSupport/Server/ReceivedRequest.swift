import Foundation

/// A request as the server got it, and its place among the others.
package struct ReceivedRequest: Sendable, CustomStringConvertible {
    package let method: String
    /// As it stood in the request line.
    package let target: String
    package let version: String
    package let fields: ReceivedFields

    /// The how-manieth request of the server this is, from 1.
    package internal(set) var sequence = 0
    /// The how-manieth request for the same target, from 1: "the first try fails".
    package internal(set) var visit = 0
    /// The how-manieth connection of the server it came on, from 1.
    package internal(set) var connection = 0
    /// The how-manieth request on its connection, from 1: more than 1 means that the connection was used again.
    package internal(set) var turn = 0
    package internal(set) var receivedAt = ContinuousClock.now

    package var range: String? { fields["Range"] }
    package var ifRange: String? { fields["If-Range"] }

    /// The target without its query, and without scheme and host if it had them (as a request to a proxy does).
    package var path: String {
        let relative: Substring
        if target.hasPrefix("/") {
            relative = target[...]
        } else if let scheme = target.range(of: "://") {
            relative = target[scheme.upperBound...].drop { $0 != "/" }
        } else {
            relative = target[...]
        }
        return String(relative.prefix { $0 != "?" })
    }

    package var description: String {
        let extra = [range.map { "Range: \($0)" }, ifRange.map { "If-Range: \($0)" }].compactMap { $0 }
        return (["#\(sequence) \(method) \(target)"] + extra).joined(separator: ", ")
    }

    /// Whether the client will close the connection after this answer.
    var endsConnection: Bool {
        let connection = fields["Connection"]?.lowercased()
        return connection == "close" || (version == "HTTP/1.0" && connection != "keep-alive")
    }
}
