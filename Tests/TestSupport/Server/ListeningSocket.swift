import CTestSystem
import Foundation
import Locking

/// A TCP socket on 127.0.0.1 that takes connections.
final class ListeningSocket: Sendable {
    let port: UInt16
    private let descriptor: Int32
    private let isOpen = Locked(true)

    /// - Parameter port: 0 lets the system choose a free one.
    init(port: UInt16 = 0) throws {
        descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        guard descriptor >= 0 else { throw SystemError("socket") }
        do {
            self.port = try LoopbackAddress.bind(descriptor, port: port)
            guard listen(descriptor, 4_096) == 0 else { throw SystemError("listen") }
        } catch {
            Glibc.close(descriptor)
            throw error
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
