/// Which redirects are followed, and what may go along.
package struct RedirectPolicy: Hashable, Sendable {
    /// How many redirects in a row are followed.
    package var maximumHops: Int
    /// Whether https may lead to http.
    package var allowsInsecure: Bool

    package init(maximumHops: Int = 20, allowsInsecure: Bool = false) {
        self.maximumHops = maximumHops
        self.allowsInsecure = allowsInsecure
    }

    package enum Decision: Hashable, Sendable {
        case follow(HTTPURL)
        case refuse(RedirectFault)
    }

    /// Whether a response of this status goes to `decide`.
    package static func isRedirect(_ status: Int) -> Bool {
        switch status {
        case 301, 302, 303, 307, 308: true
        default: false
        }
    }

    /// Where to go after `url` answered with a redirect.
    ///
    /// - Parameter earlier: The URLs that were asked before `url` and led to it, the original one first.
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
        if url.scheme == .https, target.scheme == .http, !allowsInsecure { return .refuse(.insecure(target)) }
        if target == url || earlier.contains(target) { return .refuse(.loop(target)) }
        guard earlier.count < maximumHops else { return .refuse(.tooManyHops(maximumHops)) }
        return .follow(target)
    }

    /// Whether a request header goes along from one URL to another.
    ///
    /// Within an origin all do. Out of it go neither credentials nor what the caller marked private; nor, as a
    /// caution, what by its name may be a secret: `X-Api-Key` is one to the server that it was made for alone.
    package static func travels(
        _ name: String,
        from origin: HTTPURL,
        to target: HTTPURL,
        privateNames: Set<String>
    ) -> Bool {
        origin.isSameOrigin(as: target) || !mayBeSecret(name, privateNames: privateNames)
    }

    /// Whether a header's value is a secret between its sender and one origin, as far as its name tells.
    package static func mayBeSecret(_ name: String, privateNames: Set<String>) -> Bool {
        let name = name.lowercased()
        if privateNames.contains(where: { $0.lowercased() == name }) { return true }
        return secretWords.contains { name.contains($0) }
    }

    /// Authorization, Proxy-Authorization and Cookie are among what these find.
    private static let secretWords = [
        "auth", "token", "key", "secret", "session", "password", "credential", "cookie", "signature",
    ]
}
