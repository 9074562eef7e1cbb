/// Where scheme, credentials, host and the rest lie in a URL's text. It checks nothing, and so takes any text that has
/// a `://` in it.
struct URLPieces {
    let text: String
    /// Before `://`.
    let scheme: Range<String.Index>
    /// User, password and `@`; empty where there are none.
    let credentials: Range<String.Index>
    /// Host and port.
    let host: Range<String.Index>
    /// Path and query.
    let rest: Range<String.Index>

    private static let slash = UInt8(ascii: "/")

    init?(_ text: String) {
        let bytes = text.utf8
        guard let colon = bytes.firstIndex(of: UInt8(ascii: ":")),
            bytes[colon...].starts(with: "://".utf8)
        else { return nil }
        let start = bytes.index(colon, offsetBy: 3)
        let end = bytes[start...].firstIndex(of: UInt8(ascii: "#")) ?? bytes.endIndex
        let authority = bytes[start..<end].prefix { $0 != Self.slash && $0 != UInt8(ascii: "?") }
        let hostStart = authority.lastIndex(of: UInt8(ascii: "@")).map(bytes.index(after:)) ?? start
        self.text = text
        scheme = bytes.startIndex..<colon
        credentials = start..<hostStart
        host = hostStart..<authority.endIndex
        rest = authority.endIndex..<end
    }

    var schemeName: String { text[scheme].lowercased() }

    /// The text as it is, without the credentials.
    var withoutCredentials: String {
        credentials.isEmpty ? text : String(text[..<credentials.lowerBound] + text[credentials.upperBound...])
    }

    /// The same for texts that differ in nothing but the letter case of scheme and host, a default port, credentials
    /// and a fragment.
    var key: String {
        if isPlain { return text }
        let scheme = schemeName
        var host = text[host].lowercased()
        for suffix in [":", scheme == "https" ? ":443" : ":80"] where host.hasSuffix(suffix) {
            host.removeLast(suffix.count)
        }
        let hasPath = text.utf8[rest].first == Self.slash
        return "\(scheme)://\(host)\(hasPath ? "" : "/")\(text[rest])"
    }

    /// Whether the text is its own key, as most are: then they share their storage.
    private var isPlain: Bool {
        let bytes = text.utf8
        return credentials.isEmpty && rest.upperBound == bytes.endIndex && bytes[rest].first == Self.slash
            && bytes[host].allSatisfy { $0 != UInt8(ascii: ":") && !(0x41...0x5A).contains($0) }
            && bytes[scheme].allSatisfy { !(0x41...0x5A).contains($0) }
    }
}
