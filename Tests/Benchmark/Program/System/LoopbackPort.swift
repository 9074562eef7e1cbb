import Foundation

/// A port of 127.0.0.1 that nobody else has.
final class LoopbackPort: Sendable {
    let number: UInt16
    let descriptor: Int32

    /// - Parameter listens: whether the kernel accepts connections.
    init(listens: Bool = false) throws {
        descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        guard descriptor >= 0 else { throw SystemError("socket") }
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = INADDR_LOOPBACK.bigEndian
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let bound = withUnsafeMutablePointer(to: &address) { [descriptor] pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(descriptor, $0, length) == 0 && getsockname(descriptor, $0, &length) == 0
            }
        }
        number = UInt16(bigEndian: address.sin_port)
        guard bound, !listens || listen(descriptor, 128) == 0 else { throw SystemError("bind") }
    }

    deinit {
        close(descriptor)
    }
}
