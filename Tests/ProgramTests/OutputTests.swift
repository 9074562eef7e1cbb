import Foundation
import SpateTestSupport
import Testing

/// `--output` with a path. Documentation/Messages.md shows what is refused.
@Suite(.takesTurns) struct OutputPathTests {
    private let folder: TemporaryFolder
    private let server: TestServer
    private let bytes = TestBytes.random(count: 300_000)

    init() throws {
        folder = try TemporaryFolder()
        server = try TestServer(files: ["/a.bin": .init(bytes, etag: "\"v1\"")])
    }

    private var url: String { server.url("/a.bin").absoluteString }

    @Test(arguments: [
        (["-o", "deep/er/x.bin"], "deep/er/x.bin"), (["-d", "base", "-o", "sub/x.bin"], "base/sub/x.bin"),
        (["-d", "base", "-o", "./x.bin"], "base/x.bin"), (["-d", "base", "-o", "sub//./x.bin"], "base/sub/x.bin"),
        (["-d", "base", "-o", "FOLDER/other/x.bin"], "other/x.bin"), (["-d", "base", "-o", "../x.bin"], "x.bin"),
    ])
    func aPathHasItsFolderAndARelativeOneBeginsInTheDirectory(words: [String], file: String) async throws {
        let words = words.map { $0.replacing("FOLDER", with: folder.path) }
        try FileManager.default.createDirectory(at: folder.url("base"), withIntermediateDirectories: false)
        // The second run finds the file of the first.
        for _ in 0..<2 { try await folder.spate(words + [url]) }
        #expect(try folder.bytes(file) == bytes)
        #expect(server.requests.count == 1)
        let parent = URL(fileURLWithPath: file).deletingLastPathComponent().relativePath
        let events = try await folder.spate(["status", "--json", "-d", parent]).events()
        #expect(events.map { $0["state"] as? String } == ["finished"])
    }

    @Test func anotherProgramsFileAtThePathIsTreatedAsAtAName() async throws {
        try FileManager.default.createDirectory(at: folder.url("sub"), withIntermediateDirectories: false)
        try folder.write("mine", to: "sub/x.bin")
        let words = ["-o", "sub/x.bin", url]
        try await folder.spate(words, code: 1)
        try await folder.spate(["--skip-existing"] + words)
        #expect(try folder.text("sub/x.bin") == "mine")
        try await folder.spate(["--overwrite"] + words)
        #expect(try folder.bytes("sub/x.bin") == bytes)
        let count = server.requests.count
        try await folder.spate(["--update"] + words)
        #expect(server.requests.count > count)
        #expect(try folder.bytes("sub/x.bin") == bytes)
        #expect(try folder.names(in: "sub") == ["x.bin"])
        #expect(try folder.files == ["sub"])
    }

    @Test func aWrongChecksumLeavesNothingAndARightOneIsKept() async throws {
        let wrong = "md5:900150983cd24fb0d6963f7d28e17f72"
        try await folder.spate(["-o", "sub/x", "--checksum", wrong, url], code: 1)
        #expect(try folder.names(in: "sub") == [])
        let state = try await folder.spate(["status", "--json"]).events().first?["state"] as? String
        #expect(state == "failed")
    }

    @Test func theFileOfAMetalinkGetsThePath() async throws {
        let file = "<file name=\"f\"><url>\(url)</url></file>"
        try folder.write("<metalink xmlns='urn:ietf:params:xml:ns:metalink'>\(file)</metalink>", to: "m")
        try await folder.spate(["-M", "m", "-o", "sub/mine"])
        #expect(try folder.bytes("sub/mine") == bytes && folder.files == ["m", "sub"])
    }

    @Test func aPathInAListBeginsInTheFolderOfItsURL() async throws {
        let urls = ["/a.bin?1", "/a.bin?2", "/a.bin?3"].map { server.url("/a.bin").absoluteString + $0.dropFirst(6) }
        let list = """
            \(urls[0])
              out=sub/one
            \(urls[1])
              out=sub/two
              dir=own
            \(urls[2])
              out=\(folder.path("else/three"))

            """
        for _ in 0..<2 { try await folder.spate(["-d", "base", "-i", "-"], input: list) }
        for file in ["base/sub/one", "own/sub/two", "else/three"] { #expect(try folder.bytes(file) == bytes) }
        #expect(server.requests.count == 3)
        try await folder.spate(["delete", "-d", "base", "-i", "-"], input: list)
        for name in ["base/sub", "own/sub", "else"] { #expect(try folder.names(in: name) == []) }
    }

    /// A list's own name is not put into the folder of another one.
    @Test func aListsNameAndFolderGoFirst() async throws {
        try await folder.spate(["-o", "sub/x", "-i", "-"], input: "\(url)\n out=own\n")
        #expect(try folder.files == ["own"])
    }

    @Test(arguments: [SIGINT, SIGKILL]) func whatIsLeftAtAPathIsContinued(signal: Int32) async throws {
        let server = try TestServer(files: ["/a.bin": .init(bytes, etag: "\"v1\"")]) { request, reply in
            request.visit == 1 ? reply.stalled(after: 200_000) : reply
        }
        let words = ["--timeout", "600", "--json", "-o", "sub/x.bin", server.url("/a.bin").absoluteString]
        let run = try SpateRun(words, in: folder)
        try await eventually("bytes on the disk") {
            try FileManager.default.fileExists(atPath: folder.path("sub"))
                && folder.names(in: "sub").contains { try folder.bytes("sub/\($0)").count == 200_000 }
        }
        run.child.send(signal)
        try await run.child.waitForExit()
        if signal == SIGINT {
            #expect(run.errorLines.last == "spate: to continue: spate resume")
            #expect(run.errorLines.first?.hasPrefix("spate: stopped; partial files kept: x.bin (") == true)
        }
        try await folder.spate(["resume"])
        #expect(try folder.names(in: "sub") == ["x.bin"] && folder.bytes("sub/x.bin") == bytes)
    }
}

/// `--output -`: the content goes to standard output.
@Suite(.takesTurns) struct StandardOutputTests {
    private let folder: TemporaryFolder
    private let server: TestServer
    /// Longer than a pipe holds.
    private let bytes = TestBytes.random(count: 300_000)

    init() throws {
        folder = try TemporaryFolder()
        let bytes = bytes
        server = try TestServer { request in
            switch request.path {
            case "/text": .status(200, body: "some text\n")
            case "/stalled": .file(bytes, for: request).stalled(after: 200_000)
            case "/cut" where request.visit == 1: .file(bytes, etag: "\"v1\"", for: request).cut(after: 100_000)
            case "/a.bin", "/cut": .file(bytes, etag: "\"v1\"", for: request)
            default: .status(404)
            }
        }
        for name in ["tmp", "here"] {
            try FileManager.default.createDirectory(at: folder.url(name), withIntermediateDirectories: false)
        }
    }

    /// Runs a script in the folder `here`, with `$SPATE` as the program and `$URL` as the server.
    private func shell(_ script: String) throws -> ChildProcess {
        let environment = [
            "PATH": "/bin:/usr/bin", "SPATE": try BuiltProgram.path("spate"), "TMPDIR": folder.path("tmp"),
            "URL": "http://127.0.0.1:\(server.port)",
        ]
        return try ChildProcess("/bin/sh", ["-c", script], environment: environment, folder: folder.path("here"))
    }

    private func expectNothingLeft(_ names: [String] = [], sourceLocation: SourceLocation = #_sourceLocation) throws {
        #expect(try folder.names(in: "tmp") == [], sourceLocation: sourceLocation)
        #expect(try folder.names(in: "here") == names, sourceLocation: sourceLocation)
    }

    @Test(arguments: ["a.bin", "cut"]) func theWholeContentIsWrittenAndNoFileStays(name: String) async throws {
        let child = try shell("\"$SPATE\" -o - $URL/\(name) > ../out; \"$SPATE\" resume; \"$SPATE\" status")
        #expect(try await child.waitForExit() == .status(0))
        #expect(try folder.bytes("out") == bytes)
        let lines = child.errors.split(separator: "\n")
        let after = lines.drop { $0.hasPrefix("cut: the connection broke; try 2 of 6 ") }
        #expect(after.first?.hasPrefix("There is nothing left to do in ") == true, "\(child.errors)")
        try expectNothingLeft()
    }

    @Test(arguments: [
        "--checksum md5:900150983cd24fb0d6963f7d28e17f72 $URL/a.bin", "$URL/none", "--max-size 5 $URL/a.bin",
    ])
    func nothingIsWrittenOfAFailedDownload(words: String) async throws {
        let child = try shell("\"$SPATE\" -q -o - \(words)")
        #expect(try await child.waitForExit() == .status(1))
        #expect(child.output == "" && child.errors.hasPrefix("spate: http://"))
        try expectNothingLeft()
    }

    @Test func aListMayNameTheOnlyFileAndItsFolderIsNotMade() async throws {
        let list = "printf '%s\\n out=x\\n dir=made\\n' $URL/text"
        let child = try shell("\(list) | \"$SPATE\" -o - -i -; : | \"$SPATE\" -q -o - -i -")
        #expect(try await child.waitForExit() == .status(0))
        #expect(child.output == "some text\n" && child.errors == "")
        try expectNothingLeft()
    }

    @Test func aReaderThatClosesEarlyIsNoError() async throws {
        let child = try shell("{ \"$SPATE\" -o - $URL/a.bin; echo $? > code; } | head -c 1 > first")
        #expect(try await child.waitForExit() == .status(0))
        #expect(child.errors == "")
        #expect(try folder.text("here/code") == "141\n" && folder.bytes("here/first") == [bytes[0]])
        try expectNothingLeft(["code", "first"])
    }

    @Test func aFullDiskIsSaid() async throws {
        let child = try shell("\"$SPATE\" -o - $URL/a.bin > /dev/full")
        #expect(try await child.waitForExit() == .status(1))
        #expect(
            child.errors
                == "spate: can't write all of the content to standard output: No space left on device.\n"
        )
        try expectNothingLeft()
    }

    @Test func withoutAPlaceForTheFileNothingIsFetched() async throws {
        let child = try shell("TMPDIR=/no/such \"$SPATE\" -o - $URL/a.bin")
        #expect(try await child.waitForExit() == .status(2))
        #expect(child.errors.contains("choose another place with TMPDIR") && server.requests.isEmpty)
    }

    @Test(arguments: [(SIGINT, 130), (SIGTERM, 143), (SIGHUP, 129)] as [(Int32, Int32)])
    func aSignalWhileItIsFetchedLeavesNothing(signal: Int32, code: Int32) async throws {
        let child = try shell("exec \"$SPATE\" --timeout 600 -o - $URL/stalled")
        // By its name: the thread sanitizer makes a file there for a moment.
        var inner = ""
        try await eventually("bytes in a private folder") {
            guard let name = try folder.names(in: "tmp").first(where: { $0.hasPrefix("spate-") }) else { return false }
            inner = "tmp/\(name)"
            return try folder.names(in: inner).contains { try folder.bytes("\(inner)/\($0)").count == 200_000 }
        }
        let attributes = try FileManager.default.attributesOfItem(atPath: folder.path(inner))
        #expect(attributes[.posixPermissions] as? Int == 0o700)
        child.send(signal)
        #expect(try await child.waitForExit() == .status(code))
        #expect(child.output == "" && child.errors == "spate: stopped; nothing was written to standard output.\n")
        try expectNothingLeft()
    }

    /// The reader takes a byte and no more.
    @Test func aSignalWhileItIsWrittenLeavesNothing() async throws {
        #expect(mkfifo(folder.path("pipe"), 0o600) == 0)
        let pipe = open(folder.path("pipe"), O_RDWR | O_NONBLOCK | O_CLOEXEC)
        defer { close(pipe) }
        let child = try shell("exec \"$SPATE\" -o - $URL/a.bin > ../pipe")
        var byte: UInt8 = 0
        try await eventually("the first byte in the pipe") { read(pipe, &byte, 1) == 1 }
        #expect(byte == bytes[0])
        child.send(SIGTERM)
        #expect(try await child.waitForExit() == .status(143))
        #expect(child.errors == "")
        try expectNothingLeft()
    }

    @Test func aTerminalGetsTextButNothingBinary() async throws {
        for (path, code, shown) in [("/text", 0, "some text"), ("/a.bin", 1, "The content is binary")] {
            let terminal = try PseudoTerminal(
                try BuiltProgram.path("spate"),
                ["-q", "-o", "-", server.url(path).absoluteString],
                in: folder,
                environment: ["TMPDIR": folder.path("tmp")]
            )
            try await terminal.waitForLine(shown)
            #expect(try await terminal.exitCode() == Int32(code))
        }
        try expectNothingLeft()
    }

    /// A failure hook runs, because it needs no file. Progress goes to standard error.
    @Test func progressAndFailureHooksDoNotReachStandardOutput() async throws {
        let hook = "printf '#!/bin/sh\\necho failed > ran\\n' > hook; chmod +x hook"
        let child = try shell(
            "\(hook); \"$SPATE\" --progress plain -o - $URL/text; \"$SPATE\" -o - --on-failure ./hook $URL/none"
        )
        #expect(try await child.waitForExit() == .status(1))
        #expect(child.output == "some text\n" && child.errors.hasPrefix("text: 10 B in "))
        #expect(try folder.text("here/ran") == "failed\n")
        try expectNothingLeft(["hook", "ran"])
    }
}
