import Glibc

/// A socket bound to a free port of 127.0.0.1, which is nobody else's as long as it is open.
struct LoopbackSocket: Sendable {
    let descriptor: OpenDescriptor
    let port: UInt16

    /// - Parameter listens: one that doesn't refuses every connection.
    /// - Throws: why there is none.
    init(listens: Bool) throws(UsageError) {
        let number = socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        guard number >= 0 else { throw Self.failure(errno) }
        descriptor = OpenDescriptor(number)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let result = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                bind(number, address, length) == 0 && (!listens || listen(number, 64) == 0)
                    && getsockname(number, address, &length) == 0
            }
        }
        guard result else { throw Self.failure(errno) }
        port = UInt16(bigEndian: address.sin_port)
    }

    static func failure(_ code: Int32) -> UsageError {
        UsageError(
            .demoServer,
            "the demo's server can't listen on 127.0.0.1: \(String(cString: strerror(code))); the demo needs the "
                + "loopback network"
        )
    }
}
