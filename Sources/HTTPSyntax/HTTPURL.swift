/// An absolute http or https URL in canonical form: the identity of a download.
///
/// Two URLs are equal if their `text` is. The text never contains the user name and password, which are kept apart
/// from it, so it may be printed, stored and compared.
package struct HTTPURL: Sendable {
    package enum Scheme: String, Sendable {
        case http, https

        package var defaultPort: Int { self == .http ? 80 : 443 }
    }

    /// The limit for the canonical text in bytes. Offsets into it are stored in 16 bits.
    package static let maximumLength = 65_535

    /// The canonical form: ASCII only, scheme and host in lower case, no credentials, default port or fragment, dot
    /// segments removed, and a path of at least `/`. The query and existing escapes are unchanged.
    package let text: String

    // A manager may hold hundreds of thousands of URLs, so each fits into four words. The text takes two of them.
    private let login: Login
    private let hostEnd: UInt16
    private let pathStart: UInt16
    private let pathEnd: UInt16
    private let portNumber: UInt16

    private enum Login: Sendable {
        case none
        indirect case given(Credentials)
    }

    init(canonical text: String, hostEnd: Int, port: UInt16, path: Range<Int>, credentials: Credentials?) {
        self.text = text
        self.hostEnd = UInt16(hostEnd)
        self.pathStart = UInt16(path.lowerBound)
        self.pathEnd = UInt16(path.upperBound)
        self.portNumber = port
        self.login = credentials.map { .given($0) } ?? .none
    }

    package var scheme: Scheme {
        text.utf8.span[4] == UInt8(ascii: "s") ? .https : .http
    }

    /// The host in lower case, without the brackets of an IPv6 address.
    package var host: String {
        let start = scheme == .http ? 7 : 8
        let isBracketed = text.utf8.dropFirst(start).first == UInt8(ascii: "[")
        return isBracketed ? slice(start + 1..<Int(hostEnd) - 1) : slice(start..<Int(hostEnd))
    }

    /// The port to connect to, explicit or default.
    package var port: Int { Int(portNumber) }

    package var credentials: Credentials? {
        if case .given(let credentials) = login { credentials } else { nil }
    }

    /// The scheme, host and port, which are the start of the text.
    package var origin: HTTPOrigin { HTTPOrigin(of: text, end: pathStart) }

    /// The percent-decoded bytes after the path's last slash. They may be any bytes, or none.
    package var lastPathComponent: [UInt8] { decoded(lastComponent.range) }

    /// The same as text; nil if it has escapes, as few have.
    package var plainLastPathComponent: String? {
        let (range, hasEscapes) = lastComponent
        return hasEscapes ? nil : slice(range)
    }

    private var lastComponent: (range: Range<Int>, hasEscapes: Bool) {
        let bytes = text.utf8.span
        var (index, hasEscapes) = (Int(pathEnd), false)
        // The path begins with a slash, so the search ends there.
        while index > Int(pathStart), bytes[index - 1] != UInt8(ascii: "/") {
            index -= 1
            hasEscapes = hasEscapes || bytes[index] == UInt8(ascii: "%")
        }
        return (index..<Int(pathEnd), hasEscapes)
    }

    /// The percent-decoded parts of the path before the last slash, without empty ones.
    package var folderComponents: [[UInt8]] {
        let bytes = text.utf8.span
        var (parts, start): ([[UInt8]], Int) = ([], Int(pathStart) + 1)
        for index in start..<max(start, Int(pathEnd)) where bytes[index] == UInt8(ascii: "/") {
            if index > start { parts.append(decoded(start..<index)) }
            start = index + 1
        }
        return parts
    }

    /// The percent-decoded bytes of the query, without its question mark.
    package var decodedQuery: [UInt8] { decoded(min(Int(pathEnd) + 1, text.utf8.count)..<text.utf8.count) }

    private func decoded(_ range: Range<Int>) -> [UInt8] {
        let bytes = text.utf8.span
        var index = range.lowerBound
        var decoded: [UInt8] = []
        decoded.reserveCapacity(range.count)
        while index < range.upperBound {
            if bytes[index] == UInt8(ascii: "%"), index + 2 < range.upperBound, let high = bytes[index + 1].hexValue,
                let low = bytes[index + 2].hexValue
            {
                decoded.append(high << 4 | low)
                index += 3
            } else {
                decoded.append(bytes[index])
                index += 1
            }
        }
        return decoded
    }

    /// The text for messages, without the query, which may hold a signature or a token.
    package var shown: String { query.isEmpty ? text : "\(origin)\(path)?…" }

    /// The path, without the query.
    package var path: String { slice(Int(pathStart)..<Int(pathEnd)) }

    /// Whether it has a query, even an empty one.
    package var hasQuery: Bool { Int(pathEnd) < text.utf8.count }

    /// Where the path begins in the text.
    package var pathOffset: Int { Int(pathStart) }

    /// Whether its text is an origin and a path without escapes, and the host no IPv6 address.
    package var isPlain: Bool {
        let bytes = text.utf8.span
        return !hasQuery && bytes[Int(hostEnd) - 1] != UInt8(ascii: "]")
            && bytes.firstIndex(of: UInt8(ascii: "%"), in: Int(pathStart)..<Int(pathEnd)) == nil
    }

    /// The query with its question mark, or an empty string.
    var query: String { slice(Int(pathEnd)..<text.utf8.count) }

    package func withCredentials(_ credentials: Credentials?) -> HTTPURL {
        HTTPURL(
            canonical: text,
            hostEnd: Int(hostEnd),
            port: portNumber,
            path: Int(pathStart)..<Int(pathEnd),
            credentials: credentials
        )
    }

    private func slice(_ range: Range<Int>) -> String {
        // ASCII, so every part is UTF-8.
        text.utf8.span.extracting(range).text ?? ""
    }
}

extension HTTPURL: Hashable, CustomStringConvertible, CustomDebugStringConvertible {
    package static func == (left: HTTPURL, right: HTTPURL) -> Bool { left.text == right.text }

    package func hash(into hasher: inout Hasher) {
        // Faster than hashing the string, which normalises Unicode; the text is ASCII.
        text.utf8.span.withUnsafeBytes { hasher.combine(bytes: $0) }
    }

    package var description: String { text }

    package var debugDescription: String { text }
}
