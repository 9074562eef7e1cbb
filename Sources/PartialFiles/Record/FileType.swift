/// Whether a file is a page for a browser. A page in place of another file is rarely wanted.
package enum FileType: String, Sendable {
    case page = "text/html"
    case other = "application/octet-stream"

    /// The type that the name's extension suggests.
    package init(ofName name: String) {
        let ending = name[FileName.extensionStart(of: name)...].dropFirst().lowercased()
        self = Self.pageExtensions.contains(ending) ? .page : .other
    }

    private static let pageExtensions: Set = [
        "html", "htm", "xhtml", "shtml", "xht", "php", "asp", "aspx", "jsp", "jspx", "cgi", "cfm", "do",
    ]
}
