import Foundation
import Glibc
import SpateTestSupport
import Testing

/// A reader that takes nothing must not keep the program from stopping.
@Suite(.takesTurns) struct UnreadOutputTests {
    private let folder: TemporaryFolder
    private let server: TestServer
    /// A full pipe that nobody reads, except a test at its end.
    private let pipe: Int32

    /// One response stalls, so that no run ends by itself.
    init() throws {
        folder = try TemporaryFolder()
        server = try TestServer { request in
            switch request.path {
            case "/stalled": .file(Array("abc".utf8), etag: "\"v\"", for: request).stalled(after: 1)
            case "/whole": request.visit == 1 ? .file(Array("abc".utf8), etag: "\"v\"", for: request) : .silence
            default: .status(404)
            }
        }
        for name in ["full", "lonely"] { #expect(mkfifo(folder.path(name), 0o600) == 0) }
        pipe = open(folder.path("full"), O_RDWR | O_NONBLOCK | O_CLOEXEC)
        // More lines than a pipe takes, and than may wait for it.
        let name = String(repeating: "x", count: 150)
        let lines = (0..<900).map { server.url("/\($0)-\(name)").absoluteString }
        try folder.write(([server.url("/stalled").absoluteString] + lines).joined(separator: "\n"), to: "list")
    }

    private func fill() {
        let zeros = [UInt8](repeating: 0, count: 4_096)
        while write(pipe, zeros, zeros.count) > 0 {}
    }

    /// What is in the pipe.
    private func rest() -> [UInt8] {
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 65_536)
        while true {
            let count = read(pipe, &buffer, buffer.count)
            guard count > 0 else { return bytes }
            bytes += buffer[..<count]
        }
    }

    private func start(_ words: String) throws -> ChildProcess {
        let environment = ["PATH": "/bin:/usr/bin", "SPATE": try BuiltProgram.path("spate")]
        let script = "exec 3<>full; exec $SPATE \(words)"
        return try ChildProcess("/bin/sh", ["-c", script], environment: environment, folder: folder.path)
    }

    @Test(
        arguments: [
            "--json -i list >&3", "-q --failed - -i list >&3", "-q --failed full -i list", "-q --failed lonely -i list",
            "-q --log lonely -i list", "-i list 2>&3", "--progress plain -i list >&3 2>&3",
            "-q --metalink-from-server --json -i list >&3",
        ],
        [(SIGINT, 130), (SIGTERM, 143)] as [(Int32, Int32)]
    )
    func aStopDoesNotWaitForAReader(words: String, end: (signal: Int32, code: Int32)) async throws {
        fill()
        let child = try start("--timeout 600 " + words)
        try await server.waitForRequests(2)
        child.send(end.signal)
        #expect(try await child.waitForExit() == .status(end.code))
        // As after any other stop.
        #expect(try folder.bytes("stalled.part") == Array("a".utf8))
        let states = try await folder.spate(["status", "--json"]).events().compactMap { $0["state"] as? String }
        #expect(states.contains("partial") && states.contains("waiting"))
    }

    @Test(arguments: [(SIGINT, 130), (SIGTERM, 143)] as [(Int32, Int32)])
    func neitherDoesAVerification(signal: Int32, code: Int32) async throws {
        try await folder.spate(["-q", server.url("/whole").absoluteString])
        let names = (0..<40).map { "\($0)-\(String(repeating: "y", count: 200))" }
        for name in names { try folder.write("stranger", to: name) }
        let sum = String(repeating: "0", count: 64)
        try folder.write(names.map { "\(sum)  \($0)\n" }.joined(), to: "sums")
        fill()
        let child = try start("verify --online --json --timeout 600 --checksums sums >&3")
        try await server.waitForRequests(2)
        child.send(signal)
        #expect(try await child.waitForExit() == .status(code))
    }

    @Test(arguments: ["status", "status --json", "--help", "completions bash", "demo --serve"])
    func noCommandWaits(words: String) async throws {
        try await folder.spate(["-q", server.url("/whole").absoluteString])
        fill()
        let child = try start(words + " >&3")
        let probe = ProcessProbe(pid: child.pid)
        // It has begun to wait when it has a thread for that.
        try await eventually("the wait for the reader") { (try? probe.threads).map { $0 > 1 } ?? true }
        child.send(SIGTERM)
        let exit = try await child.waitForExit()
        #expect(exit == .signal(SIGTERM) || exit == .status(143))
    }

    /// The reader of messages that has gone is no failure of what standard output has.
    @Test func whereBothStreamsLeadOnlyOutputCounts() async throws {
        #expect(mkfifo(folder.path("gone"), 0o600) == 0)
        for (words, code) in [("-v", 0), ("--json", 141)] as [(String, Int32)] {
            // Its only reader is closed once it has a writer.
            let script = "exec 5<>gone 6>gone 5>&-; exec $SPATE \(words) \(server.url("/whole")) >&6 2>&6"
            let environment = ["PATH": "/bin:/usr/bin", "SPATE": try BuiltProgram.path("spate")]
            let child = try ChildProcess("/bin/sh", ["-c", script], environment: environment, folder: folder.path)
            #expect(try await child.waitForExit() == .status(code))
        }
    }

    /// A pipe takes a line as a whole or not at all.
    @Test func linesStayWhole() async throws {
        let child = try start("--json --timeout 600 -i list >&3")
        try await server.waitForRequests(300)
        child.send(SIGTERM)
        #expect(try await child.waitForExit() == .status(143))
        let bytes = rest()
        #expect(bytes.count > 32_768 && bytes.last == UInt8(ascii: "\n"))
        for line in bytes.split(separator: UInt8(ascii: "\n")) {
            #expect(throws: Never.self) { try JSONSerialization.jsonObject(with: Data(line)) }
        }
    }

    /// Whoever reads gets everything, however late the reader comes.
    @Test func aPipeIsWrittenWhenItHasAReader() async throws {
        let child = try start("-q --failed lonely \(server.url("/a")) \(server.url("/b"))")
        try await server.waitForRequests(2)
        let reader = try ChildProcess("/bin/cat", ["lonely"], folder: folder.path)
        #expect(try await child.waitForExit() == .status(1))
        try await reader.waitForExit()
        let lines = Set(reader.output.split(separator: "\n").map(String.init))
        #expect(lines == ["\(server.url("/a"))", "\(server.url("/b"))"])
    }
}
