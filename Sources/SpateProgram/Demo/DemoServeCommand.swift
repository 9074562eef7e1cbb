import Dispatch
import Glibc
import Spate

/// `spate demo --serve`: the demo's server alone, to try programs on.
///
/// Standard output has one line an address, with what happens there behind it as a comment: a list that `spate -i` reads.
enum DemoServeCommand {
    /// Serves until a signal ends it, or until nobody has asked for anything for so long.
    ///
    /// - Throws: why it can't.
    static func run(files: [DemoFile] = DemoFile.served, idle: Duration = .seconds(3600)) throws(UsageError) -> Int32 {
        let signals = SignalWatch()
        let stop = DemoStop()
        let stopped = DispatchSemaphore(value: 0)
        signals.begin { signal in
            stop.request(signal)
            stopped.signal()
        }
        let refusing = try LoopbackSocket(listens: false)
        let server = try DemoServer(files: files, log: DemoVisits(files: files))
        server.start()
        defer { server.stop() }
        StandardStream.error.writeLine("Each of these begins anew when it has been sent to its end.")
        StandardStream.error.writeLine("Ctrl-C ends the server, as does an hour in which nobody asks.")
        for line in lines(of: server, files, refusing) { StandardStream.output.writeLine(line) }
        while stop.exitCode == nil {
            let rest = idle - (ContinuousClock.now - server.log.quietSince)
            guard rest > .zero else { return 0 }
            _ = stopped.wait(timeout: .now() + rest / .seconds(1))
        }
        return stop.exitCode ?? 0
    }

    private static func lines<Log>(
        of server: DemoServer<Log>,
        _ files: [DemoFile],
        _ refusing: LoopbackSocket
    ) -> [String] {
        files.map { file in
            "\(server.url(of: file))  # \(DownloadFormat.size(Int64(file.finalContent.size))), \(file.fate)"
        } + [
            "http://127.0.0.1:\(server.port)/not-there.txt  # 404",
            "http://127.0.0.1:\(refusing.port)/refused.txt  # nobody listens at this port",
        ]
    }
}
