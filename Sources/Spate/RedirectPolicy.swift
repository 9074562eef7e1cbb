import SpateHTTPResumption

/// Which redirects are followed.
public struct RedirectPolicy: Sendable, Hashable {
    /// How many in a row.
    private let most: Int
    private let staysAtOrigin: Bool

    /// At most twenty redirects in a row, to any host.
    public static var follow: Self { follow(atMost: 20) }

    /// At most this many redirects in a row, to any host; none if it is below 1.
    public static func follow(atMost count: Int) -> Self { Self(most: count, staysAtOrigin: false) }

    /// At most twenty redirects in a row, none of them to another scheme, host or port.
    public static var sameOrigin: Self { Self(most: 20, staysAtOrigin: true) }

    /// No redirect: it is a failure with the code ``DownloadError/Code/redirect``.
    public static var none: Self { follow(atMost: 0) }

    fileprivate var rules: RedirectRules { RedirectRules(maximumHops: most, staysAtOrigin: staysAtOrigin) }
}

extension RedirectRules {
    init(_ policy: RedirectPolicy, allowsInsecure: Bool) {
        self = policy.rules
        self.allowsInsecure = allowsInsecure
    }
}
