import Glibc

/// A numeric address, without a port or a zone.
package struct IPAddress: Hashable, Sendable, CustomStringConvertible {
    /// Four of them, or sixteen for IPv6.
    package let octets: [UInt8]

    /// - Parameter text: as inet_pton(3) reads it: four decimal numbers, or IPv6 without brackets.
    package init?(_ text: some StringProtocol) {
        let isLong = text.contains(":")
        var octets = [UInt8](repeating: 0, count: isLong ? 16 : 4)
        guard inet_pton(isLong ? AF_INET6 : AF_INET, String(text), &octets) == 1 else { return nil }
        self.octets = octets
    }

    /// `nil` unless there are four or sixteen.
    package init?(octets: some Collection<UInt8>) {
        guard octets.count == 4 || octets.count == 16 else { return nil }
        self.octets = Array(octets)
    }

    private init(known octets: ArraySlice<UInt8>) {
        self.octets = Array(octets)
    }

    package var description: String {
        var text = [CChar](repeating: 0, count: Int(INET6_ADDRSTRLEN))
        _ = inet_ntop(octets.count == 4 ? AF_INET : AF_INET6, octets, &text, socklen_t(text.count))
        return String(decoding: text.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
    }

    /// The IPv4 address of `::ffff:1.2.3.4`, which is what the system connects to; other addresses as they are.
    package var unmapped: IPAddress {
        IPNetwork.mapped.contains(self) ? ipv4(at: 12) : self
    }

    /// The IPv4 address that an IPv6 address has at a place.
    package func ipv4(at index: Int) -> IPAddress {
        IPAddress(known: octets[index..<index + 4])
    }

    /// Whether the first bits are the same, in an address of the same family.
    func begins(like other: IPAddress, bits: Int) -> Bool {
        octets.count == other.octets.count
            && octets.indices.allSatisfy { index in
                let width = min(max(bits - index * 8, 0), 8)
                return (octets[index] ^ other.octets[index]) >> (8 - width) == 0
            }
    }
}

/// A range of addresses, such as `10.0.0.0/8`.
package struct IPNetwork: Hashable, Sendable {
    private let first: IPAddress
    private let bits: Int

    fileprivate static let mapped = IPNetwork.known("::ffff:0:0/96")

    /// - Parameter bits: how many of the first bits all its addresses share.
    package init(_ first: IPAddress, bits: Int) {
        (self.first, self.bits) = (first, max(0, min(bits, 128)))
    }

    /// - Parameter text: an address, and for more than one of them the number of bits after a slash.
    package init?(_ text: String) {
        let parts = text.split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false)
        guard let first = IPAddress(parts[0]) else { return nil }
        let width = first.octets.count * 8
        guard parts.count == 2 else {
            self.init(first, bits: width)
            return
        }
        let isDecimal = !parts[1].isEmpty && parts[1].utf8.allSatisfy(\.isDigit)
        guard isDecimal, let bits = Int(parts[1]), bits <= width else { return nil }
        self.init(first, bits: bits)
    }

    /// A network whose text the program has itself.
    package static func known(_ text: String) -> IPNetwork {
        guard let network = IPNetwork(text) else { preconditionFailure("\(text) is no network") }
        return network
    }

    package func contains(_ address: IPAddress) -> Bool { address.begins(like: first, bits: bits) }
}
