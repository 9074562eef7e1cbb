import HTTPSyntax

/// Whether a file is a page for a browser. A page in place of another file is rarely wanted.
package enum FileType: String, Sendable {
    case page = "text/html"
    case other = "application/octet-stream"

    /// The type that the name's extension suggests.
    package init(ofName name: String) {
        let bytes = name.utf8.span
        let dot = FileName.extensionStart(of: bytes)
        let ending = bytes.extracting(min(dot + 1, bytes.count)..<bytes.count)
        self = Self.pageExtensions.contains { ending.spells($0) } ? .page : .other
    }

    private static let pageExtensions = [
        "html", "htm", "xhtml", "shtml", "xht", "php", "asp", "aspx", "jsp", "jspx", "cgi", "cfm", "do",
    ]
}
