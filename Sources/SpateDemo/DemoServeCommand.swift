import Dispatch
import Glibc
import Spate
import SpateConsole

/// `spate demo --serve`: only the demo's server, to try programs with.
///
/// Prints one URL per line, with a comment about its behaviour. `spate -i` can read this list.
package enum DemoServeCommand {
    /// Serves until a signal arrives, or until there was no request for an hour. Returns the exit code.
    ///
    /// - Throws: why the server can't start.
    package static func run() throws(DemoFailure) -> Int32 {
        let (files, idle) = (DemoFile.served, Duration.seconds(3600))
        let signals = SignalWatch()
        let stopped = DispatchSemaphore(value: 0)
        signals.start { _ in stopped.signal() }
        let refusing = try LoopbackSocket(listens: false)
        let server = try DemoServer(files: files, log: DemoLog(files: files, startsOver: true))
        server.start()
        defer { server.stop() }
        StandardStream.error.writeLine("Each file starts over after it has been sent completely.")
        StandardStream.error.writeLine("The server stops on Ctrl-C, or after an hour without a request.")
        for line in lines(of: server, files, refusing) { StandardStream.output.writeLine(line) }
        while SignalWatch.received == nil {
            let rest = idle - (ContinuousClock.now - server.log.quietSince)
            guard rest > .zero else { return 0 }
            _ = stopped.wait(timeout: .now() + rest / .seconds(1))
        }
        return SignalWatch.received?.exitCode ?? 0
    }

    private static func lines(of server: DemoServer, _ files: [DemoFile], _ refusing: LoopbackSocket) -> [String] {
        files.map { file in
            "\(server.url(of: file))  # \(DownloadFormat.size(Int64(file.finalContent.size))), \(file.behaviour)"
        } + [
            "http://127.0.0.1:\(server.port)/not-there.txt  # 404",
            "http://127.0.0.1:\(refusing.port)/refused.txt  # connection refused",
        ]
    }
}
