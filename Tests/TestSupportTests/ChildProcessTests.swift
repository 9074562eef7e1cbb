import Foundation
import TestSupport
import Testing

struct ChildProcessTests {
    @Test func everythingAProgramSaysIsKept() async throws {
        let script =
            "echo \"$GREETING\"; pwd; cat; i=0; while [ $i -lt 20000 ]; do echo 0123456789; i=$((i+1)); done; echo bad >&2"
        let folder = try TemporaryFolder()
        let child = try ChildProcess(
            "/bin/sh",
            ["-c", script],
            environment: ["GREETING": "hello"],
            folder: folder.path,
            input: Array("from input\n".utf8)
        )
        #expect(try await child.waitForExit() == .status(0))
        #expect(child.output.hasPrefix("hello\n\(folder.path)\nfrom input\n0123456789\n"))
        #expect(child.output.utf8.count == "hello\n\(folder.path)\nfrom input\n".utf8.count + 20_000 * 11)
        #expect(child.errors == "bad\n")
    }

    @Test func theStatusIsTold() async throws {
        let child = try ChildProcess("/bin/sh", ["-c", "exit 7"])
        #expect(try await child.waitForExit() == .status(7))
        child.send(SIGKILL)
    }

    @Test(arguments: [SIGTERM, SIGINT, SIGKILL])
    func aSignalEndsAProgram(signal: Int32) async throws {
        let child = try ChildProcess("/bin/sh", ["-c", "echo ready; exec sleep 100"])
        try await child.waitForOutput(containing: "ready")
        child.send(signal)
        #expect(try await child.waitForExit() == .signal(signal))
    }

    @Test func waitingForOutputEndsWithTheProgram() async throws {
        let child = try ChildProcess("/bin/sh", ["-c", "echo something else"])
        await #expect(throws: DeadlineExceeded.self) { try await child.waitForOutput(containing: "ready") }
    }

    @Test func aProgramThatIsNotThereIsAnError() {
        #expect(throws: SystemError.self) { try ChildProcess("/no/such/program") }
    }

    @Test func aProgramEndsWithItsObject() async throws {
        var child: ChildProcess? = try ChildProcess("/bin/sh", ["-c", "exec sleep 100"])
        let pid = try #require(child?.pid)
        child = nil
        try await eventually("the end of \(pid)") { kill(pid, 0) != 0 }
    }

    @Test func aChildInheritsNothingButItsThreeDescriptors() async throws {
        let server = try TestServer { _ in .silence }
        let client = try PlainClient(server)
        client.ask("/")
        try await server.waitForRequests(1)
        // It stops itself, so that all numbers are of one moment.
        let child = try ChildProcess("/bin/sh", ["-c", "echo ready; kill -STOP $$"])
        try await child.waitForOutput(containing: "ready")
        let probe = ProcessProbe(pid: child.pid)
        try await eventually("the child has stopped") {
            try String(contentsOfFile: "/proc/\(child.pid)/stat", encoding: .utf8).contains(") T ")
        }
        #expect(try probe.descriptors.keys.sorted() == [0, 1, 2])
        #expect(try probe.threads == 1)
        #expect(try probe.residentBytes > 10_000)
    }

    @Test func theProgramIsBesideTheTests() throws {
        #expect(try BuiltProgram.path("spate").hasSuffix("/spate"))
        #expect(throws: SystemError.self) { try BuiltProgram.path("no-such-program") }
    }
}
