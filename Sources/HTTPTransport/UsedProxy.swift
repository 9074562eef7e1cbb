import Glibc
import SpateHTTPSyntax

/// The proxy that libcurl uses for a URL: a given one, or the environment's.
///
/// libcurl reads the variables itself and barely reports them. This repeats its rules, for error messages, and so that
/// no request behind a proxy chooses an address.
struct UsedProxy: Equatable {
    /// The host, and the port if it is given. Never the user name and password.
    let name: String
    let hasCredentials: Bool
    let isSecure: Bool
    /// Whether the program gave it, and not the environment.
    let isGiven: Bool

    /// - Parameter variable: The value of an environment variable.
    init?(
        for url: HTTPURL,
        _ choice: TransportProxy,
        variable: (String) -> String? = UsedProxy.environment
    ) {
        if case .none = choice { return nil }
        func value(_ names: String...) -> String? {
            names.compactMap { variable($0) }.first { !$0.isEmpty }
        }
        if let exceptions = value("no_proxy", "NO_PROXY"), Self.isExcepted(url.host, exceptions) { return nil }
        if case .given(let proxy) = choice {
            (name, hasCredentials, isSecure) = (proxy.name, proxy.credentials != nil, proxy.isSecure)
            isGiven = true
            return
        }
        isGiven = false
        // Not HTTP_PROXY: in a CGI program it would be the value of a client's header.
        let ofScheme = url.scheme == .http ? value("http_proxy") : value("https_proxy", "HTTPS_PROXY")
        guard let text = ofScheme ?? value("all_proxy", "ALL_PROXY") else { return nil }
        let authority = text.split(separator: "://", maxSplits: 1).last ?? ""
        hasCredentials = authority.contains("@")
        // After the last @, so that no part of any password remains.
        let host = authority.split(separator: "@", omittingEmptySubsequences: false).last ?? ""
        name = String(host.prefix { $0 != "/" })
        isSecure = text.lowercased().hasPrefix("https://")
    }

    /// Whether the environment has a proxy for any URL.
    static func mayBeInEnvironment(variable: (String) -> String? = UsedProxy.environment) -> Bool {
        ["http_proxy", "https_proxy", "HTTPS_PROXY", "all_proxy", "ALL_PROXY"].contains { name in
            variable(name).map { !$0.isEmpty } ?? false
        }
    }

    static func environment(_ name: String) -> String? {
        getenv(name).map { String(cString: $0) }
    }

    private static func isExcepted(_ host: String, _ exceptions: String) -> Bool {
        if exceptions == "*" { return true }
        let address = IPAddress(host)
        return exceptions.split { " \t,".contains($0) }.contains { pattern in
            if let address { return network(pattern)?.contains(address) ?? false }
            let domain = pattern.drop { $0 == "." }.lowercased()
            return host == domain || host.hasSuffix(".\(domain)")
        }
    }

    /// Like libcurl, which takes any number of bits, and a text for none.
    private static func network(_ pattern: Substring) -> IPNetwork? {
        let parts = pattern.split(separator: "/", maxSplits: 1)
        guard let first = parts.first.flatMap({ IPAddress($0) }) else { return nil }
        return IPNetwork(first, bits: parts.count == 2 ? Int(parts[1]) ?? 0 : 128)
    }
}
