import CLine
import Glibc

/// The two ends of a line: a network namespace each, with a device and no other way out.
struct LineEnds {
    /// A device's other end, and the namespace that it is in, as descriptors.
    struct End {
        let tun: Int32
        let namespace: Int32
    }

    /// 198.18.0.0/15, which RFC 2544 keeps for benchmarks.
    private static let network: (address: UInt32, prefix: Int32) = (198 << 24 | 18 << 16, 15)
    private static let device = "line0"
    /// Packets that wait until this process reads them: those of some ticks at any rate.
    private static let deviceQueue: UInt32 = 10_000

    let client: End
    let server: End

    /// The client has 198.18.0.1; the server has the next ones.
    ///
    /// - Parameter hosts: how many addresses the server has.
    init(hosts: Int) throws(LineFailure) {
        client = try Self.makeEnd(addresses: [Self.network.address + 1])
        server = try Self.makeEnd(addresses: (1...UInt32(max(1, hosts))).map { Self.network.address + 1 + $0 })
    }

    /// Moves this process into the new namespace.
    private static func makeEnd(addresses: [UInt32]) throws(LineFailure) -> End {
        try unshareNetwork()
        // What TCP learnt from one connection must not be the start of the next.
        try configure("net/ipv4/tcp_no_metrics_save", "1")
        // Its packets, which nobody asked for, would have a share of the losses. Some systems have no IPv6.
        try? configure("net/ipv6/conf/default/disable_ipv6", "1")
        let tun = open("/dev/net/tun", O_RDWR | O_NONBLOCK | O_CLOEXEC)
        guard tun >= 0 else {
            throw LineFailure("/dev/net/tun", advice: "the module tun must be loaded, and the user may open it")
        }
        guard line_attach(tun, device) == 0 else { throw LineFailure("making a TUN device") }
        for (index, address) in addresses.enumerated() {
            let name = index == 0 ? device : "\(device):\(index)"
            guard line_set_address(name, address) == 0 else { throw LineFailure("giving \(name) an address") }
        }
        guard line_set_up(device, deviceQueue) == 0 else { throw LineFailure("bringing \(device) up") }
        guard line_add_route(device, network.address, network.prefix, "cubic") == 0 else {
            throw LineFailure("a route with CUBIC")
        }
        let namespace = open("/proc/self/ns/net", O_RDONLY | O_CLOEXEC)
        guard namespace >= 0 else { throw LineFailure("/proc/self/ns/net") }
        return End(tun: tun, namespace: namespace)
    }

    /// Who may not make a network namespace makes a user namespace first, in which they may.
    private static func unshareNetwork() throws(LineFailure) {
        if line_unshare_network() == 0 { return }
        guard errno == EPERM else { throw LineFailure("a network namespace") }
        let (user, group) = (getuid(), getgid())
        guard line_unshare_user() == 0 else {
            throw LineFailure("a user namespace", advice: "run it as root, or let users have user namespaces")
        }
        try write("deny", to: "/proc/self/setgroups")
        try write("\(user) \(user) 1", to: "/proc/self/uid_map")
        try write("\(group) \(group) 1", to: "/proc/self/gid_map")
        guard line_unshare_network() == 0 else { throw LineFailure("a network namespace in a user namespace") }
    }

    private static func configure(_ name: String, _ value: String) throws(LineFailure) {
        try write(value, to: "/proc/sys/\(name)")
    }

    private static func write(_ text: String, to path: String) throws(LineFailure) {
        let file = open(path, O_WRONLY | O_CLOEXEC)
        guard file >= 0 else { throw LineFailure(path) }
        defer { close(file) }
        let bytes = Array(text.utf8)
        guard Glibc.write(file, bytes, bytes.count) == bytes.count else { throw LineFailure("\(text) to \(path)") }
    }
}
