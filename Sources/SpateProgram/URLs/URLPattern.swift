import SpateConsole

/// A URL with brackets or braces that curl would expand: `file[1-3].jpg` or `{a,b}.jpg`. Shells expand braces, and Spate
/// takes a URL as it is.
struct URLPattern {
    /// The URL as a shell expands it: `http://host/file{1..3}.jpg`. `nil` if it must not be shown.
    private let shellForm: String?

    /// `nil` for any other URL, such as one with an IPv6 address.
    init?(_ url: String) {
        // A word without a scheme is no URL, and has its own message.
        guard url.hasByte(where: { $0 == UInt8(ascii: "[") || $0 == UInt8(ascii: "{") }), url.contains("://") else {
            return nil
        }
        let pattern = /\[(?<ends>\d+-\d+|[a-z]-[a-z]|[A-Z]-[A-Z])(:(?<step>\d+))?\]|\{(?<names>[^{}]*,[^{}]*)\}/
        var form = ""
        var end = url.startIndex
        for match in url.matches(of: pattern) {
            form += Self.quoted(url[end..<match.range.lowerBound])
            if let names = match.output.names {
                let parts = names.split(separator: ",", omittingEmptySubsequences: false)
                form += "{\(parts.map(Self.quoted).joined(separator: ","))}"
            } else if let ends = match.output.ends {
                form += "{\(ends.replacing("-", with: ".."))\(match.output.step.map { "..\($0)" } ?? "")}"
            }
            end = match.range.upperBound
        }
        guard end != url.startIndex else { return nil }
        form += Self.quoted(url[end...])
        // A password must not be shown.
        shellForm = url.contains("@") ? nil : form
    }

    private static func quoted(_ part: Substring) -> String {
        part.isEmpty ? "" : PlainText.shownWord(part)
    }

    var fault: UsageError {
        let example = shellForm.map { ", as in \($0)" } ?? ""
        return UsageError(
            .urlPattern,
            "brackets and braces in a URL are not expanded; let the shell do it: give {1..3} or {a,b} without "
                + "quotes\(example), or the URLs in a list with --input FILE; if they belong to the URL, write them as "
                + "%5B %5D %7B %7D"
        )
    }
}
