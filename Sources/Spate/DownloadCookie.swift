public import Foundation

/// A cookie of ``DownloadManager/Configuration-swift.struct/cookies``, which is sent only where its domain, its path and
/// ``isSecure`` say. See RFC 6265.
public struct DownloadCookie: Sendable, Hashable {
    /// Its name.
    public var name: String
    /// Its value, as it is sent.
    public var value: String
    /// The host that it is sent to, on any port. Letter case and a dot at its start make no difference.
    public var domain: String
    /// Whether hosts below the domain get it, too, such as `files.example.com`. By default false.
    public var includesSubdomains: Bool
    /// It is sent for this path and what is below it. By default `/`, which is everything.
    public var path: String
    /// Whether it is sent over `https` only. By default false.
    public var isSecure: Bool
    /// From when on it is not sent; `nil`, the default, for never.
    public var expires: Date?

    /// Makes a cookie for one host, all its paths, and both schemes, unless more is said.
    public init(
        _ name: String,
        _ value: String,
        domain: String,
        includesSubdomains: Bool = false,
        path: String = "/",
        isSecure: Bool = false,
        expires: Date? = nil
    ) {
        self.name = name
        self.value = value
        self.domain = domain
        self.includesSubdomains = includesSubdomains
        self.path = path
        self.isSecure = isSecure
        self.expires = expires
    }
}
