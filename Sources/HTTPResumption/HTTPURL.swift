/// An absolute http or https URL in canonical form: the identity of a download.
///
/// Two URLs are equal when their `text` is. User name and password are carried beside the text and never in it,
/// so the text may be printed, stored and compared.
package struct HTTPURL: Sendable {
    package enum Scheme: String, Sendable {
        case http, https

        package var defaultPort: Int { self == .http ? 80 : 443 }
    }

    /// What a canonical text may measure, in bytes; offsets into it are kept in 16 bits.
    package static let maximumLength = 65_535

    /// The canonical form: ASCII alone, scheme and host in lower case, neither credentials nor default port nor
    /// fragment, dot segments removed, and at least `/` for a path. Query and escapes stand as they were written.
    package let text: String

    // A manager may hold hundreds of thousands of these: with the text's own two words they fit into four.
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

    /// The host in lower case; an IPv6 address without its brackets.
    package var host: String {
        let start = scheme == .http ? 7 : 8
        let isBracketed = text.utf8.dropFirst(start).first == UInt8(ascii: "[")
        return isBracketed ? slice(start + 1..<Int(hostEnd) - 1) : slice(start..<Int(hostEnd))
    }

    /// The port that is connected to, written in the URL or not.
    package var port: Int { Int(portNumber) }

    package var credentials: Credentials? {
        if case .given(let credentials) = login { credentials } else { nil }
    }

    /// Whether a request to `other` goes to the same scheme, host and port.
    package func isSameOrigin(as other: HTTPURL) -> Bool {
        // All that differs between texts of one origin comes after this prefix.
        let end = Int(pathStart)
        return pathStart == other.pathStart
            && text.utf8.span.extracting(..<end).isSame(as: other.text.utf8.span.extracting(..<end))
    }

    /// The bytes after the path's last slash, percent-decoded: any bytes at all, none when the path ends in a slash.
    package var lastPathComponent: [UInt8] {
        let bytes = text.utf8.span
        let end = Int(pathEnd)
        var index = end
        // The path begins with a slash.
        while index > Int(pathStart), bytes[index - 1] != UInt8(ascii: "/") { index -= 1 }
        var decoded: [UInt8] = []
        decoded.reserveCapacity(end - index)
        while index < end {
            if bytes[index] == UInt8(ascii: "%"), index + 2 < end, let high = bytes[index + 1].hexValue,
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

    /// Scheme, host and port, as the text begins.
    package var originText: String { slice(0..<Int(pathStart)) }

    /// For messages: a query may hold a signature or a token, so it stays out of them.
    package var shown: String { query.isEmpty ? text : "\(originText)\(path)?…" }

    /// The path, without the query.
    var path: String { slice(Int(pathStart)..<Int(pathEnd)) }

    /// The query with its question mark, or nothing.
    var query: String { slice(Int(pathEnd)..<text.utf8.count) }

    func withCredentials(_ credentials: Credentials?) -> HTTPURL {
        HTTPURL(
            canonical: text,
            hostEnd: Int(hostEnd),
            port: portNumber,
            path: Int(pathStart)..<Int(pathEnd),
            credentials: credentials
        )
    }

    private func slice(_ range: Range<Int>) -> String {
        let start = text.utf8.index(text.startIndex, offsetBy: range.lowerBound)
        return String(text[start..<text.utf8.index(start, offsetBy: range.count)])
    }
}

extension HTTPURL: Hashable, CustomStringConvertible, CustomDebugStringConvertible {
    package static func == (left: HTTPURL, right: HTTPURL) -> Bool { left.text == right.text }

    package func hash(into hasher: inout Hasher) {
        // A string is hashed so that equal spellings of one text agree; in ASCII there is one.
        text.utf8.span.withUnsafeBytes { hasher.combine(bytes: $0) }
    }

    package var description: String { text }

    package var debugDescription: String { text }
}
