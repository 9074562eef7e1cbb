import SpateHTTPSyntax
import SpateHTTPTransport
import SpateHosts

/// To which addresses a manager connects: where the URLs of users, and all that servers answer, may lead.
///
///     configuration.addresses = .publicOnly
///
/// It is judged by the numeric address of each connection, just before it is made. So it does not matter how the address
/// was found: in a URL in any spelling, by a name server at whatever moment, by a redirect, a mirror or a Metalink. A
/// connection that another manager of the process has opened is judged before it is used. A host's other addresses are
/// tried; if none is allowed, the download fails with ``DownloadError/Code/addressNotAllowed``, which is not retried.
///
/// By a proxy, the proxy chooses the address. So no proxy is used, unless ``trustsProxies`` says so.
public struct AddressPolicy: Sendable {
    /// `nil` for all addresses.
    private let allows: (@Sendable (IPAddress) -> Bool)?
    /// Why nothing is allowed: a range is not one.
    private var invalidRange: String?
    /// Whether downloads may go by a proxy, which then decides what is allowed. By default false.
    ///
    /// The proxy's own address is not judged, and neither is any that it connects to.
    public var trustsProxies = false

    /// All addresses, as other downloaders do it.
    public static var any: Self { Self(allowing: nil) }

    /// The addresses of the public internet. Not loopback, private networks, link-local addresses, the shared ones of
    /// providers (CGNAT), multicast, nor what is reserved.
    ///
    /// IPv6 addresses that stand for an IPv4 one (IPv4-mapped, `64:ff9b::/96` of NAT64, 6to4) are judged by it. That a
    /// network translates another prefix of its own, nobody can see in an address.
    public static var publicOnly: Self { Self(allowing: PublicAddresses.contains) }

    /// The addresses of the public internet, and those of some more networks.
    ///
    /// - Parameter networks: addresses and ranges of them, such as `10.1.2.0/24` or `fd00::/8`. If one is not valid, every
    ///   download fails with ``DownloadError/Code/addressNotAllowed``.
    public static func publicOnly(besides networks: [String]) -> Self {
        let others = networks.compactMap { IPNetwork($0) }
        var policy = Self(allowing: { address in
            PublicAddresses.contains(address) || others.contains { $0.contains(address) }
        })
        policy.invalidRange = networks.first { IPNetwork($0) == nil }
        return policy
    }

    /// The addresses for which a closure returns true.
    ///
    /// - Parameter allows: gets each address that is about to be connected, such as `93.184.216.34` or `2606:2800::1`; an
    ///   IPv4-mapped one as the IPv4 address that it is. It runs on a thread that also receives the bytes of other
    ///   downloads, so it must return quickly.
    public init(_ allows: @escaping @Sendable (String) -> Bool) {
        self.init(allowing: { allows($0.description) })
    }

    private init(allowing allows: (@Sendable (IPAddress) -> Bool)?) {
        self.allows = allows
    }

    /// `nil` for all addresses.
    var rule: AddressRule? {
        get throws(DownloadError) {
            if let invalidRange { throw DownloadError.invalidRange(invalidRange) }
            return allows.map { AddressRule(trustsProxies: trustsProxies, allows: $0) }
        }
    }
}
