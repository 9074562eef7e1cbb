import Foundation
import Glibc

/// A small HTTP server on a free port of 127.0.0.1, with a thread for each connection. It ends with the program.
final class DemoServer: Sendable {
    let port: UInt16
    let log = DemoLog()
    private let listener: OpenDescriptor
    private let files: [String: DemoFile]

    /// - Throws: why there is none.
    init(files: [DemoFile]) throws(UsageError) {
        self.files = Dictionary(files.map { ($0.name, $0) }) { first, _ in first }
        let number = socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        guard number >= 0 else { throw Self.failure(errno) }
        listener = OpenDescriptor(number)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let result = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                bind(number, address, length) == 0 && listen(number, 64) == 0
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

    func url(of file: DemoFile) -> String { "http://127.0.0.1:\(port)/\(file.name)" }

    /// Begins to answer.
    func start() {
        let (listener, files, log) = (listener, files, log)
        Thread {
            while true {
                let number = accept(listener.number, nil, nil)
                guard number >= 0 else {
                    if [EINTR, ECONNABORTED].contains(errno) { continue }
                    return
                }
                // The children of the demo have no part in it.
                _ = fcntl(number, F_SETFD, FD_CLOEXEC)
                let connection = DemoConnection(OpenDescriptor(number))
                Thread { connection.serve(files, log: log) }.start()
            }
        }.start()
    }

    /// Takes no connections any more.
    func stop() {
        shutdown(listener.number, Int32(SHUT_RDWR))
    }
}
