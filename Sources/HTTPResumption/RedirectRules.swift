package import SpateHTTPSyntax

/// Which redirects to follow, and which request headers to forward.
package struct RedirectRules: Hashable, Sendable {
    /// How many redirects in a row to follow.
    package var maximumHops: Int
    /// Whether to follow only redirects to the same scheme, host and port.
    package var staysAtOrigin: Bool
    /// Whether to follow a redirect from https to http.
    package var allowsInsecure: Bool

    package init(maximumHops: Int = 20, staysAtOrigin: Bool = false, allowsInsecure: Bool = false) {
        (self.maximumHops, self.staysAtOrigin) = (maximumHops, staysAtOrigin)
        self.allowsInsecure = allowsInsecure
    }

    package enum Decision: Hashable, Sendable {
        case follow(HTTPURL)
        case refuse(RedirectFault)
    }

    /// Whether `decide` must judge a response with this status.
    package static func isRedirect(_ status: Int) -> Bool {
        switch status {
        case 301, 302, 303, 307, 308: true
        default: false
        }
    }

    /// Decides whether to follow the redirect that `url` answered with.
    ///
    /// - Parameter earlier: The URLs that led to `url`, the original one first.
    package func decide(head: ResponseHead, at url: HTTPURL, after earlier: [HTTPURL]) -> Decision {
        let locations = head.fields.values(of: "location")
        guard let location = locations.first, !location.isEmpty else { return .refuse(.missingLocation) }
        guard locations.allSatisfy({ $0 == location }) else { return .refuse(.ambiguousLocation) }
        let target: HTTPURL
        do {
            target = try url.resolving(location)
        } catch .unsupportedScheme(let scheme) {
            return .refuse(.unsupportedScheme(scheme))
        } catch {
            return .refuse(.invalidLocation(error))
        }
        if maximumHops < 1 { return .refuse(.notWanted(target)) }
        if staysAtOrigin, target.origin != url.origin { return .refuse(.otherOrigin(target)) }
        if url.scheme == .https, target.scheme == .http, !allowsInsecure { return .refuse(.insecure(target)) }
        if target == url || earlier.contains(target) { return .refuse(.loop(target)) }
        guard earlier.count < maximumHops else { return .refuse(.tooManyHops(maximumHops)) }
        return .follow(target)
    }

    /// Whether to forward a request header from one URL to another.
    ///
    /// Within an origin, every header is forwarded. To another origin, credentials and headers that the caller marked
    /// private are not. Neither are headers whose names suggest a secret, such as `X-Api-Key`.
    package static func travels(
        _ name: String,
        from source: HTTPURL,
        to target: HTTPURL,
        privateNames: Set<String>
    ) -> Bool {
        source.origin == target.origin || !mayBeSecret(name, privateNames: privateNames)
    }

    /// Whether a header's value may be a secret, judging by its name.
    package static func mayBeSecret(_ name: String, privateNames: Set<String>) -> Bool {
        let name = name.lowercased()
        if privateNames.contains(where: { $0.lowercased() == name }) { return true }
        return secretWords.contains { name.contains($0) }
    }

    /// These also match Authorization, Proxy-Authorization and Cookie.
    private static let secretWords = [
        "auth", "token", "key", "secret", "session", "password", "credential", "cookie", "signature",
    ]
}
