import Foundation

/// A request as the server got it, and its place among the others.
package struct ReceivedRequest: Sendable, CustomStringConvertible {
    package let method: String
    /// As it stood in the request line.
    package let target: String
    package let version: String
    package let fields: ReceivedFields

    /// Counts from 1 for the server's first request.
    package internal(set) var sequence = 0
    /// How many requests were being answered when it came, itself included. A client that keeps to a limit is never seen
    /// above it.
    package internal(set) var atOnce = 0
    /// Counts from 1 for the first request for this target: "the first try fails".
    package internal(set) var visit = 0
    /// Is 1 if it came on the server's first connection.
    package internal(set) var connection = 0
    /// Counts from 1 for the first request on its connection; more if the connection was used again.
    package internal(set) var turn = 0
    /// The subject of the certificate that the client has shown; `nil` if it has shown none.
    package internal(set) var client: String?
    package internal(set) var receivedAt = ContinuousClock.now

    package var range: String? { fields["Range"] }
    package var ifRange: String? { fields["If-Range"] }
    package var ifNoneMatch: String? { fields["If-None-Match"] }
    package var ifModifiedSince: String? { fields["If-Modified-Since"] }

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

/// The header fields of a request, in the order in which they came. Names are compared without regard to case.
package struct ReceivedFields: Sendable, CustomStringConvertible {
    package private(set) var all: [(name: String, value: String)] = []

    /// The first value of a field.
    package subscript(name: String) -> String? {
        all.first { $0.name.isSameFieldName(as: name) }?.value
    }

    /// Every value of a field that came more than once.
    package func values(of name: String) -> [String] {
        all.filter { $0.name.isSameFieldName(as: name) }.map(\.value)
    }

    mutating func append(name: String, value: String) {
        all.append((name, value))
    }

    package var description: String {
        all.map { "\($0.name): \($0.value)" }.joined(separator: "\n")
    }
}

extension String {
    func isSameFieldName(as other: String) -> Bool {
        utf8.count == other.utf8.count && lowercased() == other.lowercased()
    }
}

extension String {
    /// The Range of a request for the rest of a file of which so many bytes are there. It begins 4 KiB before, so that the
    /// seam is compared.
    package static func rest(from held: Int) -> String { "bytes=\(Swift.max(0, held - 4_096))-" }
}
