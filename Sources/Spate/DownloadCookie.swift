public import Foundation

/// A cookie of ``DownloadManager/Configuration-swift.struct/cookies``. It is sent only if its domain, its path and
/// ``isSecure`` match the URL. See RFC 6265.
public struct DownloadCookie: Sendable, Hashable {
    /// Its name.
    public var name: String
    /// Its value, as sent.
    public var value: String
    /// The host that gets it, on any port. Letter case and a leading dot make no difference.
    public var domain: String
    /// Whether hosts below the domain get it, too, such as `files.example.com`. By default false.
    public var includesSubdomains: Bool
    /// The path that gets it, with everything below. By default `/`, which is everything.
    public var path: String
    /// Whether it is sent over `https` only. By default false.
    public var isSecure: Bool
    /// When it expires; `nil`, the default, for never.
    public var expires: Date?

    /// Makes a cookie, by default for one host, all its paths, and both schemes.
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
