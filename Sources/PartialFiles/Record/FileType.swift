package import SpateFilePaths

/// Whether a file is a page for a browser. A page in place of another file is rarely wanted.
package enum FileType: String, Sendable {
    case page = "text/html"
    case other = "application/octet-stream"

    /// The type that the name's extension suggests.
    package init(ofName name: FilePath) {
        let bytes = name.bytes.span
        let dot = FileName.extensionStart(of: bytes)
        let ending = bytes.extracting(min(dot + 1, bytes.count)..<bytes.count)
        self = ending.count <= 5 && Self.pageExtensions.contains(Self.code(ending)) ? .page : .other
    }

    private static let pageExtensions = [
        "html", "htm", "xhtml", "shtml", "xht", "php", "asp", "aspx", "jsp", "jspx", "cgi", "cfm", "do",
    ].map { code($0.utf8.span) }

    /// Up to eight letters and digits as a number. This bit makes a letter lower case, and every digit has it.
    private static func code(_ letters: Span<UInt8>) -> UInt64 {
        var code: UInt64 = 0
        for index in letters.indices { code = code << 8 | UInt64(letters[index] | 0x20) }
        return code
    }
}
