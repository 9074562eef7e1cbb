/// The scheme, host and port of a URL: what a client connects to.
///
/// Shares the text of its URL, so it takes no memory of its own but keeps that text alive.
package struct HTTPOrigin: Sendable {
    private let url: String
    private let end: UInt16

    /// The origin of a URL that cannot be downloaded.
    package static let none = HTTPOrigin(of: "", end: 0)

    init(of url: String, end: UInt16) {
        self.url = url
        self.end = end
    }

    package var text: String { String(Substring(url.utf8.prefix(Int(end)))) }

    /// A copy without the rest of the URL, which may be long and hold a secret. Use it for an origin that outlives its
    /// URL.
    package var alone: HTTPOrigin { HTTPOrigin(of: text, end: end) }
}

extension HTTPOrigin: Hashable, CustomStringConvertible {
    package static func == (left: HTTPOrigin, right: HTTPOrigin) -> Bool {
        let (leftBytes, rightBytes) = (left.url.utf8.span, right.url.utf8.span)
        return leftBytes.extracting(first: Int(left.end)).isSame(as: rightBytes.extracting(first: Int(right.end)))
    }

    package func hash(into hasher: inout Hasher) {
        let bytes = url.utf8.span
        bytes.extracting(first: Int(end)).withUnsafeBytes { hasher.combine(bytes: $0) }
    }

    package var description: String { text }
}
