/// The parts of a canonical URL, parsed in the simplest way, to compare with `HTTPURL`.
struct PlainURL {
    let scheme: String
    let host: String
    let port: Int?
    let path: String
    let query: String

    init(_ text: String) {
        let pieces = text.split(separator: "/", maxSplits: 3, omittingEmptySubsequences: false)
        scheme = String(pieces[0].dropLast())
        let authority = pieces.count > 2 ? pieces[2] : ""
        let isLiteral = authority.hasPrefix("[")
        let host = isLiteral ? authority.prefix { $0 != "]" } : authority.prefix { $0 != ":" }
        self.host = String(isLiteral ? host.dropFirst() : host)
        port = Int(authority.dropFirst(host.count + (isLiteral ? 1 : 0)).dropFirst())
        let rest = pieces.count > 3 ? pieces[3] : ""
        let path = rest.prefix { $0 != "?" }
        self.path = "/" + path
        query = String(rest.dropFirst(path.count))
    }
}
