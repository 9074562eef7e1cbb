import Foundation
import Glibc
import Spate
import SpateConsole

/// `spate demo`: shows and proves what Spate does, on this machine alone.
package enum DemoCommand {
    /// Returns the exit code: 0 if every claim was proven.
    ///
    /// - Throws: why the demo can't run here.
    package static func run() throws(DemoFailure) -> Int32 {
        let files = DemoFile.all
        // A proxy must not be asked for the server. Child processes inherit this.
        for name in ["no_proxy", "NO_PROXY"] { setenv(name, "127.0.0.1", 1) }
        let signals = SignalWatch()
        let terminal = LiveTerminal.canBeDrawnOn ? TerminalSignals() : nil
        signals.start { _ in }
        let folder = try PrivateFolder("spate-demo", else: DemoFailure.folder)
        defer { folder.remove() }
        let server = try DemoServer(files: files, log: DemoLog(files: files))
        server.start()
        defer { server.stop() }
        return play(files, server, folder, terminal)
    }

    private static func play(
        _ files: [DemoFile],
        _ server: DemoServer,
        _ folder: PrivateFolder,
        _ terminal: TerminalSignals?
    ) -> Int32 {
        let began = ContinuousClock.now
        say("A server in this program, at 127.0.0.1:\(server.port), serves \(files.count) made-up files,")
        say("most of them with faults. Nothing leaves this machine.")
        var kill = DemoKill()
        for file in files where file.scenario == .killed {
            say("")
            say("A separate process fetches \(file.name) and is killed halfway (SIGKILL).")
            say("Another process continues with its partial file …")
            do {
                guard let played = try DemoKill.play(file, url: server.url(of: file), in: folder) else {
                    return SignalWatch.received?.exitCode ?? 1
                }
                kill = played
            } catch {
                StandardStream.error.writeLine("spate: can't start a process: \(error.localizedDescription)")
            }
        }
        say("")
        say("Now all files, three at a time:")
        say("")
        // The demo runs by itself and reads no keys.
        let style = LiveTerminal.canBeDrawnOn ? DisplayStyle.live(readsKeys: false) : .lines
        let run = DemoRun(server, files: files, folder: folder.path, display: style.display())
        terminal?.start { run.handle($0) }
        let outcome = run.finish()
        if let signal = SignalWatch.received { return signal.exitCode }

        let proof = DemoProof(
            exchanges: completed(server.log),
            peak: server.log.peak,
            connections: server.log.connections,
            verdicts: Dictionary(
                files.map { ($0.name, DemoVerdict(of: folder.url($0.name), against: $0.finalContent)) }
            ) { first, _ in first },
            outcome: outcome,
            kill: kill,
            partials: folder.partials
        )
        return report(proof.claims(for: files), took: .now - began)
    }

    /// Prints the claims, and returns the exit code.
    private static func report(_ claims: [DemoClaim], took time: Duration) -> Int32 {
        say("")
        say("What the server saw, and what is on disk:")
        say("")
        for claim in claims { say(claim.line) }
        say("")
        let failed = claims.count { !$0.holds }
        let took = DownloadFormat.elapsed(time)
        guard failed == 0 else {
            say("\(failed) of \(claims.count) claims NOT proven, in \(took).")
            return 1
        }
        say("All \(claims.count) claims proven in \(took). The temporary files were deleted.")
        return 0
    }

    /// Waits until all exchanges have ended: the server may notice late that a client has gone.
    private static func completed(_ log: DemoLog) -> [DemoExchange] {
        let deadline = ContinuousClock.now + .seconds(30)
        while log.exchanges.contains(where: { $0.end == nil }), .now < deadline { usleep(10_000) }
        return log.exchanges
    }

    private static func say(_ line: String) {
        StandardStream.output.writeLine(line)
    }
}

/// The folder of the demo's downloads.
extension PrivateFolder {
    func url(_ name: String) -> URL { URL(fileURLWithPath: "\(path)/\(name)", isDirectory: false) }

    /// The names of the partial files in it.
    var partials: [String] {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: path)) ?? []
        return names.filter { $0.hasSuffix(".part") }
    }

    /// The size of a partial file. 0 if there is none.
    func partialSize(of name: String) -> Int {
        var status = stat()
        return stat("\(path)/\(name).part", &status) == 0 ? Int(status.st_size) : 0
    }
}
