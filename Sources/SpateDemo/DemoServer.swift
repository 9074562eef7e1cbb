import Foundation
import Glibc
import SpateConsole

/// A small HTTP server on a free port of 127.0.0.1, with a thread for each connection.
final class DemoServer: Sendable {
    let log: DemoLog
    private let socket: LoopbackSocket
    private let files: [String: DemoFile]

    /// - Throws: why it can't listen.
    init(files: [DemoFile], log: DemoLog) throws(DemoFailure) {
        self.files = Dictionary(files.map { ($0.name, $0) }) { first, _ in first }
        self.log = log
        socket = try LoopbackSocket(listens: true)
    }

    var port: UInt16 { socket.port }

    func url(of file: DemoFile) -> String { "http://127.0.0.1:\(port)/\(file.name)" }

    /// Starts to accept connections.
    func start() {
        let (listener, files, log) = (socket.descriptor, files, log)
        Thread {
            while true {
                let number = accept(listener.number, nil, nil)
                guard number >= 0 else {
                    if [EINTR, ECONNABORTED].contains(errno) { continue }
                    // Too many descriptors are open. Wait until some are closed.
                    guard [EMFILE, ENFILE, ENOBUFS, ENOMEM].contains(errno) else { return }
                    usleep(100_000)
                    continue
                }
                // Child processes must not inherit it.
                _ = fcntl(number, F_SETFD, FD_CLOEXEC)
                let connection = DemoConnection(OpenDescriptor(number))
                Thread { connection.serve(files, log: log) }.start()
            }
        }.start()
    }

    /// Stops accepting connections.
    func stop() {
        shutdown(socket.descriptor.number, Int32(SHUT_RDWR))
    }
}

/// A socket bound to a free port of 127.0.0.1. No other program can use the port while it is open.
struct LoopbackSocket: Sendable {
    let descriptor: OpenDescriptor
    let port: UInt16

    /// - Parameter listens: if `false`, connections are refused.
    /// - Throws: why it can't be created.
    init(listens: Bool) throws(DemoFailure) {
        let number = socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        guard number >= 0 else { throw .server(errno) }
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
        guard result else { throw .server(errno) }
        port = UInt16(bigEndian: address.sin_port)
    }
}
