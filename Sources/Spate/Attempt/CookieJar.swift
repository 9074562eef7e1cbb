import Foundation
import SpateHTTPSyntax

/// The cookies of a manager, by their domain.
struct CookieJar: Sendable {
    private var cookies: [String: [DownloadCookie]] = [:]

    init(_ all: [DownloadCookie]) {
        for cookie in all {
            let domain = String(cookie.domain.lowercased().drop { $0 == "." })
            // Of two cookies with the same name and path, the later one counts.
            cookies[domain, default: []].removeAll { $0.name == cookie.name && $0.path == cookie.path }
            cookies[domain, default: []].append(cookie)
        }
    }

    /// The value of the `Cookie` header for a request; `nil` if no cookie matches. See RFC 6265, section 5.4.
    func header(for url: HTTPURL, at date: @autoclosure () -> Date) -> String? {
        if cookies.isEmpty { return nil }
        let (host, date) = (url.host, date())
        var domain = host[...]
        var found: [DownloadCookie] = []
        while true {
            found += cookies[String(domain), default: []].filter { cookie in
                (domain == host || cookie.includesSubdomains) && cookie.isFor(url) && !cookie.isExpired(at: date)
            }
            // An address has no domain above it.
            guard !host.isAddress, let dot = domain.firstIndex(of: ".") else { break }
            domain = domain[dot...].dropFirst()
        }
        guard !found.isEmpty else { return nil }
        // The sort is stable: with the same path, the nearer domain stays first.
        return found.sorted { $0.path.utf8.count > $1.path.utf8.count }.map(\.pair).joined(separator: "; ")
    }
}

extension DownloadCookie {
    /// Its part of the `Cookie` header.
    var pair: String { "\(name)=\(value)" }

    /// Whether the scheme and path match.
    fileprivate func isFor(_ url: HTTPURL) -> Bool {
        guard !isSecure || url.scheme == .https else { return false }
        let wanted = url.path
        guard wanted.hasPrefix(path) else { return false }
        return path.hasSuffix("/") || wanted.utf8.count == path.utf8.count
            || wanted.utf8.dropFirst(path.utf8.count).first == UInt8(ascii: "/")
    }

    fileprivate func isExpired(at date: Date) -> Bool { expires.map { $0 <= date } ?? false }
}

extension String {
    /// Whether this host is an IPv4 or IPv6 address.
    fileprivate var isAddress: Bool {
        contains(":") || split(separator: ".").last?.allSatisfy(\.isNumber) ?? false
    }
}
