import Foundation
import Glibc
import SpateTestSupport
import Testing

/// Lists that come through a pipe, line by line.
@Suite(.takesTurns) struct GrowingListTests {
    private let folder: TemporaryFolder
    private let server: TestServer
    private let writer: Int32

    init() throws {
        folder = try TemporaryFolder()
        server = try TestServer { .file(Array($0.path.utf8), for: $0) }
        #expect(mkfifo(folder.path("list"), 0o600) == 0)
        writer = open(folder.path("list"), O_RDWR | O_CLOEXEC)
    }

    private func url(_ path: String) -> String { server.url(path).absoluteString }

    private func add(_ text: String) {
        #expect(write(writer, text, text.utf8.count) == text.utf8.count)
    }

    private func start(_ words: String) throws -> ChildProcess {
        let environment = ["PATH": "/bin:/usr/bin", "SPATE": try BuiltProgram.path("spate")]
        return try ChildProcess(
            "/bin/sh",
            ["-c", "exec $SPATE \(words)"],
            environment: environment,
            folder: folder.path
        )
    }

    @Test(arguments: ["-i list", "-i - <list"]) func eachLineStartsAtOnce(words: String) async throws {
        let child = try start("-q \(words)")
        for number in 1...3 {
            add(url("/\(number)") + "\n")
            try await server.waitForRequests(number)
        }
        close(writer)
        #expect(try await child.waitForExit() == .status(0))
        #expect(try folder.names == ["1", "2", "3", "list"])
    }

    @Test func aURLBesideAListDoesNotWaitForIt() async throws {
        let child = try start("-q \(url("/word")) -i list")
        try await server.waitForRequests(1)
        add(url("/line"))
        close(writer)
        #expect(try await child.waitForExit() == .status(0))
        #expect(try folder.names == ["line", "list", "word"])
    }

    @Test func aURLHasTheOptionsThatAreWrittenWithIt() async throws {
        let child = try start("-q -i list")
        add(url("/1") + "\n  out=one\n")
        try await server.waitForRequests(1)
        add(url("/2") + "\n  out=two\n")
        try await server.waitForRequests(2)
        // The others had an option, so this one's may still come.
        add(url("/3") + "\n")
        add("  out=three\n")
        close(writer)
        #expect(try await child.waitForExit() == .status(0))
        #expect(try folder.names == ["list", "one", "three", "two"])
    }

    @Test func anOptionThatComesTooLateIsAFaultOfItsLine() async throws {
        let child = try start("-q -i list")
        add(url("/1") + "\n")
        try await server.waitForRequests(1)
        add("  out=late\n" + url("/2"))
        close(writer)
        #expect(try await child.waitForExit() == .status(1))
        #expect(child.errors.contains("spate: list, line 2: the option comes too late"), "\(child.errors)")
        #expect(try folder.names == ["1", "2", "list"])
    }

    /// Two files can't have one name: nothing is fetched before it is known how many there are.
    @Test func aNameForOneFileWaitsForTheSecondLine() async throws {
        let child = try start("-o name -i list")
        add(url("/1") + "\n")
        add(url("/2") + "\n")
        #expect(try await child.waitForExit() == .status(2))
        #expect(server.requests.isEmpty)
        close(writer)
    }
}
