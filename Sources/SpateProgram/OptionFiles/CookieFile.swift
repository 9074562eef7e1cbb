import Foundation
import Spate

/// The cookies of a Netscape cookie file, as browsers' extensions, curl and yt-dlp write it.
struct CookieFile: Sendable {
    private let cookies: [String: [Cookie]]

    init(_ file: OptionFile) throws(UsageError) {
        var cookies: [String: [Cookie]] = [:]
        try file.forEachLine { (line) throws(UsageError) in
            guard let cookie = try Cookie(line) else { return }
            // Of two with the same name and path the later one counts.
            cookies[cookie.domain, default: []].removeAll { $0.name == cookie.name && $0.path == cookie.path }
            cookies[cookie.domain, default: []].append(cookie)
        }
        self.cookies = cookies
    }

    /// The value of the `Cookie` header for a URL. `nil` if no cookie is for it. See RFC 6265, section 5.4.
    func header(for url: URL, at date: Date = .now) -> String? {
        guard let host = url.host(percentEncoded: false)?.lowercased() else { return nil }
        var domain = host[...]
        var found: [Cookie] = []
        while true {
            found += cookies[String(domain), default: []].filter { cookie in
                (domain == host || cookie.includesSubdomains) && cookie.isFor(url) && !cookie.isExpired(at: date)
            }
            guard let dot = domain.firstIndex(of: ".") else { break }
            domain = domain[dot...].dropFirst()
        }
        guard !found.isEmpty else { return nil }
        // The sort is stable: with the same path, the nearer domain stays first.
        return found.sorted { $0.path.utf8.count > $1.path.utf8.count }.map { "\($0.name)=\($0.value)" }
            .joined(separator: "; ")
    }
}

/// A line of a cookie file: domain, whether subdomains are included, path, whether it is only for https, expiry in seconds
/// since 1970 or 0 for none, name and value, separated by tabs.
private struct Cookie: Sendable {
    /// In lower case, without a dot at the start.
    let domain: String
    let includesSubdomains: Bool
    let path: String
    let isSecure: Bool
    let expiry: Double
    let name: String
    let value: String

    /// `nil` for a comment or a blank line.
    ///
    /// - Throws: what would be right. The line may be a secret and is not repeated.
    init?(_ line: String) throws(UsageError) {
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
        domain = String(fields[0].lowercased().drop { $0 == "." })
        includesSubdomains = fields[1].uppercased() == "TRUE"
        path = fields[2]
        isSecure = fields[3].uppercased() == "TRUE"
        self.expiry = expiry
        name = fields[5]
        value = fields[6]
        try check()
    }

    /// Asks the library now. It would refuse the same cookie again for every download.
    private func check() throws(UsageError) {
        guard let url = URL(string: "http://localhost/") else { return }
        var request = DownloadRequest(url)
        request.headers = ["Cookie": "\(name)=\(value)"]
        do throws(DownloadError) {
            try request.check()
        } catch {
            throw UsageError(.cookieLine, "the cookie can't be sent: it contains a control character")
        }
    }

    /// Whether scheme and path fit.
    func isFor(_ url: URL) -> Bool {
        guard !isSecure || url.scheme?.lowercased() == "https" else { return false }
        let wanted = url.path(percentEncoded: true)
        guard wanted.hasPrefix(path) else { return path == "/" && wanted.isEmpty }
        return path.hasSuffix("/") || wanted.utf8.count == path.utf8.count
            || wanted.utf8.dropFirst(path.utf8.count).first == UInt8(ascii: "/")
    }

    func isExpired(at date: Date) -> Bool { expiry > 0 && expiry <= date.timeIntervalSince1970 }
}
