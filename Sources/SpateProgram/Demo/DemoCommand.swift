import Foundation
import Glibc
import Spate

/// `spate demo`: everything that Spate is for, shown and proven on this machine alone.
enum DemoCommand {
    /// - Throws: why it can't be shown here.
    static func run(files: [DemoFile] = DemoFile.all) throws(UsageError) -> Int32 {
        // A proxy would look for the server on another machine. Children see this, too.
        for name in ["no_proxy", "NO_PROXY"] { setenv(name, "127.0.0.1", 1) }
        let signals = SignalWatch()
        let terminal = LiveTerminal.canBeDrawnOn ? TerminalSignals() : nil
        let stop = DemoStop()
        signals.begin { stop.request($0) }
        let folder = try DemoFolder()
        defer { folder.remove() }
        let server = try DemoServer(files: files, log: DemoLog())
        server.start()
        defer { server.stop() }
        return play(files, server, folder, stop, terminal)
    }

    private static func play(
        _ files: [DemoFile],
        _ server: DemoServer<DemoLog>,
        _ folder: DemoFolder,
        _ stop: DemoStop,
        _ terminal: TerminalSignals?
    ) -> Int32 {
        let began = ContinuousClock.now
        say("A server in this program, at 127.0.0.1:\(server.port), makes \(files.count) files up and treats")
        say("most of them badly. Nothing leaves this machine.")
        var kill = DemoKill()
        for file in files where file.story == .killed {
            say("")
            say("A process of its own fetches \(file.name), is killed halfway (SIGKILL),")
            say("and another one goes on with what it left …")
            do {
                guard let played = try DemoKill.play(file, url: server.url(of: file), in: folder, stop: stop) else {
                    return stop.exitCode ?? 1
                }
                kill = played
            } catch {
                StandardStream.error.writeLine("spate: can't start a process: \(error.localizedDescription)")
            }
        }
        say("")
        say("And now all of them, three at a time:")
        say("")
        let run = DemoRun(server, files: files, folder: folder.path, stop: stop, display: display())
        terminal?.begin { run.handle($0) }
        let outcome = run.finish()
        if let code = stop.exitCode { return code }

        let proof = DemoProof(
            exchanges: settled(server.log),
            peak: server.log.peak,
            verdicts: Dictionary(
                files.map { ($0.name, DemoVerdict(of: folder.url($0.name), against: $0.finalContent)) }
            ) { first, _ in first },
            outcome: outcome,
            kill: kill,
            partials: folder.partials
        )
        return tell(proof.claims(for: files), took: .now - began)
    }

    /// Tells what was proven, and returns the code to exit with.
    private static func tell(_ claims: [DemoClaim], took time: Duration) -> Int32 {
        say("")
        say("What the server saw, and what is on disk:")
        say("")
        for claim in claims { say(claim.line) }
        say("")
        let failed = claims.count { !$0.holds }
        let took = DownloadFormat.elapsed(time)
        guard failed == 0 else {
            say("\(PlainText.count(failed, "claim")) of \(claims.count) NOT proven; it took \(took).")
            return 1
        }
        say("All \(claims.count) claims proven in \(took). The files were temporary and are gone.")
        return 0
    }

    /// A client may be gone before its server has noticed.
    private static func settled(_ log: DemoLog) -> [DemoExchange] {
        let deadline = ContinuousClock.now + .seconds(5)
        while log.exchanges.contains(where: { $0.end == nil }), .now < deadline { usleep(10_000) }
        return log.exchanges
    }

    private static func display() -> any Display {
        // The story goes on by itself: nobody is asked for keys.
        LiveTerminal.canBeDrawnOn
            ? LiveDisplay(terminal: LiveTerminal(readsKeys: false), hasColours: LiveTerminal.hasColours)
            : ProgressLines { _ = StandardStream.error.writeLine($0) }
    }

    private static func say(_ line: String) {
        StandardStream.output.writeLine(line)
    }
}
