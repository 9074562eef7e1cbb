import Foundation
import Glibc

/// A small HTTP server on a free port of 127.0.0.1, with a thread for each connection. It ends with the program.
final class DemoServer<Log: DemoWitness>: Sendable {
    let log: Log
    private let socket: LoopbackSocket
    private let files: [String: DemoFile]

    /// - Throws: why there is none.
    init(files: [DemoFile], log: Log) throws(UsageError) {
        self.files = Dictionary(files.map { ($0.name, $0) }) { first, _ in first }
        self.log = log
        socket = try LoopbackSocket(listens: true)
    }

    var port: UInt16 { socket.port }

    func url(of file: DemoFile) -> String { "http://127.0.0.1:\(port)/\(file.name)" }

    /// Begins to answer.
    func start() {
        let (listener, files, log) = (socket.descriptor, files, log)
        Thread {
            while true {
                let number = accept(listener.number, nil, nil)
                guard number >= 0 else {
                    if [EINTR, ECONNABORTED].contains(errno) { continue }
                    // Too many are open: some will be closed.
                    guard [EMFILE, ENFILE, ENOBUFS, ENOMEM].contains(errno) else { return }
                    usleep(100_000)
                    continue
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
        shutdown(socket.descriptor.number, Int32(SHUT_RDWR))
    }
}
