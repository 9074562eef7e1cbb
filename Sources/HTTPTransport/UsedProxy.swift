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
        let address = AddressBits(host)
        return exceptions.split { " \t,".contains($0) }.contains { pattern in
            if let address { return address.isIn(pattern) }
            let domain = pattern.drop { $0 == "." }.lowercased()
            return host == domain || host.hasSuffix(".\(domain)")
        }
    }
}

/// A numeric host, and whether it is in a network such as `10.0.0.0/8`.
private struct AddressBits {
    private let octets: [UInt8]

    init?(_ text: some StringProtocol) {
        let isLong = text.contains(":")
        var octets = [UInt8](repeating: 0, count: isLong ? 16 : 4)
        guard inet_pton(isLong ? AF_INET6 : AF_INET, String(text), &octets) == 1 else { return nil }
        self.octets = octets
    }

    func isIn(_ network: Substring) -> Bool {
        let parts = network.split(separator: "/", maxSplits: 1)
        guard let first = parts.first, let other = AddressBits(first), other.octets.count == octets.count else {
            return false
        }
        let bits = parts.count == 2 ? Int(parts[1]).map { max(0, min($0, 128)) } ?? 0 : octets.count * 8
        return zip(octets, other.octets).enumerated().allSatisfy { index, pair in
            let width = min(max(bits - index * 8, 0), 8)
            return (pair.0 ^ pair.1) >> (8 - width) == 0
        }
    }
}
