/// Whether a file is a page for a browser: such a page in place of another file is hardly what somebody wants.
package enum FileType: String, Sendable {
    case page = "text/html"
    case other = "application/octet-stream"

    /// What a name suggests, by its extension.
    package init(ofName name: String) {
        let ending = name[FileName.extensionStart(of: name)...].dropFirst().lowercased()
        self = Self.pageExtensions.contains(ending) ? .page : .other
    }

    private static let pageExtensions: Set = [
        "html", "htm", "xhtml", "shtml", "xht", "php", "asp", "aspx", "jsp", "jspx", "cgi", "cfm", "do",
    ]
}
