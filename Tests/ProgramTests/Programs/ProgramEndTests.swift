import Foundation
import SpateTestSupport
import Testing

/// What programs of options inherit, and how they end with their children.
@Suite(.mostlyWaits) struct ProgramEndTests {
    private let folder: TemporaryFolder
    private let server: TestServer

    init() throws {
        folder = try TemporaryFolder()
        server = try TestServer { .file([1, 2, 3], for: $0) }
    }

    private var url: String { server.url("/a").absoluteString }

    /// Starts the program from a shell script, in which it is `$SPATE`.
    private func shell(_ script: String) throws -> ChildProcess {
        let environment = ["PATH": "/bin:/usr/bin", "SPATE": try BuiltProgram.path("spate")]
        return try ChildProcess("/bin/bash", ["-c", script], environment: environment, folder: folder.path)
    }

    @Test func nothingIsInheritedButTheEnvironmentAndTheFolder() async throws {
        let script = """
            cat > /dev/null
            ls -l /proc/self/fd > fds
            grep -E 'Sig(Blk|Ign)' /proc/self/status > signals
            ps -o sid=,pgid=,tty= -p $$ > session; echo $$ > pid
            pwd > folder; echo "$VALUE" > value; echo $# > count
            """
        try folder.script("look", script)
        // Open files, ignored signals, and a SIGCHLD that would hide how children end.
        let child = try shell(
            "exec 7<>urls 8</dev/null; trap '' PIPE HUP CHLD USR1; VALUE=v exec $SPATE --on-finish ./look \(url)"
        )
        #expect(try await child.waitForExit() == .status(0), "\(child.errors)")
        #expect(child.errors == "")
        // Two are of ls itself: its output, and the folder that it lists.
        let descriptors = try folder.text("fds").split(separator: "\n").filter { $0.contains(" -> ") }
        let others = descriptors.filter { !$0.contains("pipe:") }
        #expect(descriptors.count == 4 && others.count == 2, "\(descriptors)")
        #expect(others.first?.hasSuffix(" -> \(folder.path("fds"))") == true)
        #expect(others.last?.contains(" -> /proc/") == true)
        // The C library keeps two signals for itself, which nobody else can set.
        let own: UInt64 = 0x1_8000_0000
        for line in try folder.text("signals").split(separator: "\n") {
            let mask = try #require(UInt64(line.split(whereSeparator: \.isWhitespace)[1], radix: 16))
            #expect(mask & ~own == 0, "\(line)")
        }
        let pid = try folder.text("pid").split(separator: "\n")[0]
        let session = try folder.text("session").split(separator: " ").map { $0.split(separator: "\n")[0] }
        #expect(session == [pid, pid, "?"])
        #expect(try folder.text("folder") == folder.path + "\n" && folder.text("value") == "v\n")
        #expect(try folder.text("count") == "0\n")
    }

    @Test func childrenThatHoldTheOutputOpenAreEndedWithTheirProgram() async throws {
        try folder.script(
            "leaves",
            "cat > /dev/null; (trap '' TERM; echo $BASHPID > child; sleep 600) & \necho '{}'",
            interpreter: "/bin/bash"
        )
        try await folder.spate(["--refresh-command", "./leaves", url])
        let pid = try await folder.processID(in: "child")
        try await folder.waitForEnd(of: pid)
        #expect(server.requests.count == 1)
    }

    /// A program that ignores SIGTERM, and its child.
    private func stubborn() throws {
        let script = "trap '' TERM INT HUP; (echo $BASHPID > child; sleep 600) & \necho $$ > pid; wait; sleep 600"
        try folder.script("stubborn", script, interpreter: "/bin/bash")
    }

    @Test(arguments: [SIGINT, SIGTERM, SIGHUP] as [Int32]) func aSignalEndsProgramsAndTheirChildren(
        signal: Int32
    ) async throws {
        try stubborn()
        let run = try SpateRun(["--refresh-command", "./stubborn", url], in: folder)
        let pids = [try await folder.processID(in: "pid"), try await folder.processID(in: "child")]
        run.child.send(signal)
        #expect(try await run.exitCode() == 128 + signal)
        for pid in pids { try await folder.waitForEnd(of: pid) }
    }

    @Test func aSecondSignalEndsThemAtOnce() async throws {
        try stubborn()
        let run = try SpateRun(["--on-finish", "./stubborn", url], in: folder)
        let pids = [try await folder.processID(in: "pid"), try await folder.processID(in: "child")]
        try await eventually("the end after some signals") {
            run.child.send(SIGINT)
            return run.child.exit != nil
        }
        #expect(run.child.exit == .status(130))
        for pid in pids { try await folder.waitForEnd(of: pid) }
    }

    @Test func aProgramMayEndWithoutReading() async throws {
        // Longer than what a pipe takes, with the rest of the object.
        let start = url + "?"
        let long = start + String(repeating: "a", count: 65_500 - start.utf8.count)
        try folder.script("blind", #"exec 0<&-; sleep 0.2; echo '{"url": "\#(url)"}'"#)
        try await folder.spate(["-i", "-", "-o", "a", "--refresh-command", "./blind"], input: long)
        #expect(server.requests.map(\.target) == ["/a"])
        #expect(try folder.bytes("a") == [1, 2, 3])
    }
}
