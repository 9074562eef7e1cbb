import CSpateTestSystem
import Foundation
import SpateLocking

/// A TCP socket on 127.0.0.1, or another loopback address, that takes connections.
final class ListeningSocket: Sendable {
    let port: UInt16
    private let descriptor: Int32
    private let isOpen = Locked(true)
    /// The ports that were chosen in this process. A host is a name and a port: on one of them, what the library has learned
    /// from another test's server would count.
    private static let chosenPorts = Locked<Set<UInt16>>([])

    /// - Parameter port: 0 lets the system choose a free one, which no other socket of this process had.
    init(port: UInt16 = 0, address: String = LoopbackAddress.usual) throws {
        // Held meanwhile, so that the system chooses others.
        var rejected: [Int32] = []
        defer { rejected.forEach { Glibc.close($0) } }
        while true {
            let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
            guard descriptor >= 0 else { throw SystemError("socket") }
            do {
                let bound = try LoopbackAddress.bind(descriptor, port: port, address: address)
                guard port != 0 || Self.chosenPorts.withLock({ $0.insert(bound).inserted }) else {
                    rejected.append(descriptor)
                    continue
                }
                guard listen(descriptor, 4_096) == 0 else { throw SystemError("listen") }
                (self.descriptor, self.port) = (descriptor, bound)
                return
            } catch {
                Glibc.close(descriptor)
                throw error
            }
        }
    }

    deinit {
        close()
    }

    /// Waits for a client; `nil` when the socket was shut down.
    func accept() -> SocketConnection? {
        while true {
            let client = spate_test_accept(descriptor)
            if client >= 0 { return SocketConnection(adopting: client) }
            switch errno {
            case EMFILE, ENFILE, ENOBUFS, ENOMEM: usleep(10_000)
            case EINTR, ECONNABORTED: continue
            default: return nil
            }
        }
    }

    /// Makes `accept` return, from any thread.
    func shutDown() {
        isOpen.withLock { isOpen in
            if isOpen { shutdown(descriptor, Int32(SHUT_RDWR)) }
        }
    }

    func close() {
        isOpen.withLock { isOpen in
            if isOpen { Glibc.close(descriptor) }
            isOpen = false
        }
    }
}

/// The address 127.0.0.1, or another one of that network, as the socket calls want it.
package enum LoopbackAddress {
    package static let usual = "127.0.0.1"

    /// Binds a socket to a port, a free one for 0, and returns the port.
    static func bind(_ descriptor: Int32, port: UInt16, address: String = usual) throws -> UInt16 {
        var yes: Int32 = 1
        setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &yes, socklen_t(MemoryLayout<Int32>.size))
        guard withAddress(address, port: port, { Glibc.bind(descriptor, $0, $1) }) == 0 else {
            throw SystemError("bind to \(address), port \(port)")
        }
        var bound = sockaddr_in()
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let result = withUnsafeMutablePointer(to: &bound) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { getsockname(descriptor, $0, &length) }
        }
        guard result == 0 else { throw SystemError("getsockname") }
        return UInt16(bigEndian: bound.sin_port)
    }

    package static func connect(_ descriptor: Int32, port: UInt16, address: String = usual) -> Int32 {
        withAddress(address, port: port) { Glibc.connect(descriptor, $0, $1) }
    }

    private static func withAddress(
        _ text: String,
        port: UInt16,
        _ body: (UnsafePointer<sockaddr>, socklen_t) -> Int32
    ) -> Int32 {
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        inet_pton(AF_INET, text, &address.sin_addr)
        return withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { body($0, socklen_t(MemoryLayout<sockaddr_in>.size)) }
        }
    }
}
