package import SpateHTTPSyntax

/// The addresses of the public internet: those that IANA's registries of special-purpose addresses don't take out of it.
/// See https://www.iana.org/assignments/iana-ipv4-special-registry and …/iana-ipv6-special-registry.
///
/// A few small ranges are public in the registry and not here, such as `2001:1::1` for port control: nobody serves files
/// there.
package enum PublicAddresses {
    private static let specialIPv4 = networks(
        "0.0.0.0/8",  // this network, and with 0.0.0.0 this machine
        "10.0.0.0/8",  // private
        "100.64.0.0/10",  // shared by the customers of a provider (CGNAT)
        "127.0.0.0/8",  // loopback
        "169.254.0.0/16",  // link-local, with the metadata services of clouds
        "172.16.0.0/12",  // private
        "192.0.0.0/24",  // protocols
        "192.0.2.0/24",  // documentation
        "192.88.99.0/24",  // relays of 6to4
        "192.168.0.0/16",  // private
        "198.18.0.0/15",  // benchmarks
        "198.51.100.0/24",  // documentation
        "203.0.113.0/24",  // documentation
        "224.0.0.0/4",  // multicast
        "240.0.0.0/4"  // reserved, and broadcast
    )

    /// All public ones are in it. Without loopback, link-local, unique local, multicast, and what is reserved.
    private static let globalIPv6 = IPNetwork.known("2000::/3")

    private static let specialIPv6 = networks(
        "2001::/23",  // protocols, such as Teredo
        "2001:db8::/32",  // documentation
        "3fff::/20"  // documentation
    )

    /// An IPv4 address is in it, which a gateway connects to.
    private static let nat64 = IPNetwork.known("64:ff9b::/96")
    private static let sixToFour = IPNetwork.known("2002::/16")

    package static func contains(_ address: IPAddress) -> Bool {
        let address = address.unmapped
        if address.octets.count == 4 { return !specialIPv4.contains { $0.contains(address) } }
        if nat64.contains(address) { return contains(address.ipv4(at: 12)) }
        if sixToFour.contains(address) { return contains(address.ipv4(at: 2)) }
        return globalIPv6.contains(address) && !specialIPv6.contains { $0.contains(address) }
    }

    private static func networks(_ texts: String...) -> [IPNetwork] { texts.map { .known($0) } }
}
