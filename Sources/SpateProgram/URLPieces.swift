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
}
