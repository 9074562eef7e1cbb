import Foundation
import Spate

extension OptionFile {
    /// The cookies of a Netscape cookie file, as browsers' extensions, curl and yt-dlp write it.
    func cookies() throws(UsageError) -> [DownloadCookie] {
        var cookies: [DownloadCookie] = []
        try forEachLine { (line) throws(UsageError) in
            if let cookie = try DownloadCookie(line) { cookies.append(cookie) }
        }
        return cookies
    }
}

extension DownloadCookie {
    /// A line of a cookie file: domain, whether subdomains are included, path, whether it is only for https, expiry in
    /// seconds since 1970 or 0 for none, name and value, separated by tabs. `nil` for a comment or a blank line.
    ///
    /// - Throws: an error that shows the expected form. It does not repeat the line, which may be secret.
    fileprivate init?(_ line: String) throws(UsageError) {
        let mark = "#HttpOnly_"
        let text = line.hasPrefix(mark) ? line.dropFirst(mark.count) : line[...]
        guard !text.hasPrefix("#"), !text.trimmingSpaces.isEmpty else { return nil }
        var fields = text.split(separator: "\t", omittingEmptySubsequences: false).map(String.init)
        // The tab before an empty value may be missing.
        if fields.count == 6 { fields.append("") }
        guard fields.count == 7, !fields[0].isEmpty, fields[2].hasPrefix("/"), let expiry = Double(fields[4]) else {
            throw UsageError(
                .cookieLine,
                "not a cookie; a line has seven fields with tabs between them: domain, TRUE or FALSE, path, TRUE or "
                    + "FALSE, expiry, name and value"
            )
        }
        self.init(
            fields[5],
            fields[6],
            domain: fields[0],
            includesSubdomains: fields[1].uppercased() == "TRUE",
            path: fields[2],
            isSecure: fields[3].uppercased() == "TRUE",
            expires: expiry > 0 ? Date(timeIntervalSince1970: expiry) : nil
        )
        if DownloadRequest.fault(ofHeader: "Cookie", "\(name)=\(value)") != nil {
            throw UsageError(.cookieLine, "the cookie can't be sent: it contains a control character")
        }
    }
}
