import Foundation
import Glibc
import SpateLocking
import SpateTestSupport
import Testing

@testable import SpateProgram

/// `--metalink`, and input files that are Metalinks.
@Suite(.takesTurns) struct MetalinkTests {
    private static let sum = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"

    private let folder: TemporaryFolder
    private let server: TestServer

    init() throws {
        folder = try TemporaryFolder()
        server = try TestServer { request in
            switch request.path {
            case "/a", "/b": .file(Array("abc".utf8), for: request)
            case "/moved": .redirect(to: "/files.meta4")
            default: .status(404)
            }
        }
    }

    /// A Metalink of two files. The first URL of each is gone.
    private var document: String {
        let files = ["a", "b"].map { name in
            "<file name=\"of-\(name)\"><size>3</size><hash type=\"sha-256\">\(Self.sum)</hash>"
                + "<url priority=\"1\">\(server.url("/gone"))-\(name)</url><url>\(server.url("/\(name)"))</url></file>"
        }
        return "<?xml version=\"1.0\"?>\n"
            + "<metalink xmlns=\"urn:ietf:params:xml:ns:metalink\">\(files.joined())</metalink>\n"
    }

    @Test func aFileIsReadAsMetalinkWhicheverOptionNamesIt() async throws {
        try folder.write(document, to: "files.meta4")
        for option in ["-M", "--input"] {
            try await folder.spate(["-d", "out", option, "files.meta4"])
            let names = ["of-a", "of-b"].map { "out/\($0)" }
            for name in names {
                #expect(try folder.text(name) == "abc")
                try FileManager.default.removeItem(at: folder.url(name))
            }
        }
        let again = try await folder.spate(["-d", "out", "-M", "-"], input: document)
        #expect(again.errorLines.allSatisfy { $0.hasSuffix(": 404 Not Found; trying another place now") })
        // The third time everything is there.
        let count = server.requests.count
        try await folder.spate(["-d", "out", "-M", "files.meta4"])
        #expect(server.requests.count == count)
    }

    /// RFC 5854 allows folders in names.
    @Test func filesOfOneNameInTwoFoldersAreMadeAndRepaired() async throws {
        let files = ["x/f", "y/f"].map { name in
            "<file name=\"\(name)\"><size>3</size><hash type=\"sha-256\">\(Self.sum)</hash>"
                + "<url>\(server.url("/a"))?\(name)</url></file>"
        }
        let document = "<metalink xmlns='urn:ietf:params:xml:ns:metalink'>\(files.joined())</metalink>"
        try folder.write(document, to: "m")
        try await folder.spate(["-d", "out", "-M", "m"])
        let names = ["out/x/f", "out/y/f"]
        for name in names { #expect(try folder.text(name) == "abc") }
        let status = try await folder.spate(["status", "-d", "out"]).child.output
        #expect(status.contains("x/f") && status.contains("y/f"))
        let count = server.requests.count
        try await folder.spate(["-d", "out", "-M", "m"])
        #expect(server.requests.count == count)
        // All of them, and one by its path.
        for (command, damaged) in [(["-d", "out", "-M", "m"], names), (["-M", "m", "out/y/f"], ["out/y/f"])] {
            for name in damaged { try folder.write("xbc", to: name) }
            try await folder.spate(["repair"] + command)
            for name in names { #expect(try folder.text(name) == "abc", "\(command)") }
        }
        #expect(try Set(folder.names.filter { !$0.hasPrefix(".") }) == ["m", "out"])
    }

    /// A pipe can be read only once, and so is not known to be one.
    @Test func theListOfAPipeIsNoMetalinkButSaysHowToGiveOne() async throws {
        for text in [document, "\u{FEFF}\n<metalink/>"] {
            let run = try await folder.spate(["-i", "-"], input: text, code: 2)
            #expect(run.errorLines.first?.contains("--metalink - for standard input") == true)
        }
    }

    @Test func aURLIsFetchedFirstAndNothingOfItStays() async throws {
        let text = document
        let metalinks = try TestServer { request in
            request.path == "/moved" ? .redirect(to: "/files") : .file(Array(text.utf8), for: request)
        }
        try await folder.spate(["-M", metalinks.url("/moved").absoluteString])
        #expect(try folder.names.filter { !$0.hasPrefix(".") } == ["of-a", "of-b"])
        let run = try await folder.spate(["--retries", "0", "-M", server.url("/none").absoluteString], code: 2)
        #expect(run.child.errors.contains("can't read --metalink \(server.url("/none")): "))
        #expect(run.child.errors.contains("404"))
    }

    @Test func aPasswordInItsURLIsNotShown() async throws {
        let file = "<file name=\"f\"><url>\(server.url("/a"))</url><signature>x</signature></file>"
        let text = "<metalink xmlns='urn:ietf:params:xml:ns:metalink'>\(file)</metalink>"
        let metalinks = try TestServer { request in
            request.path == "/m" ? .file(Array(text.utf8), for: request) : .status(404)
        }
        for (path, code) in [("/m", 0), ("/none", 2)] as [(String, Int32)] {
            let url = metalinks.url(path, authority: "user:sesame@127.0.0.1").absoluteString
            let run = try await folder.spate(["--json", "--log", "log", "--retries", "0", "-M", url], code: code)
            let all = run.child.errors + run.child.output + (try folder.text("log"))
            #expect(!all.contains("sesame"), "\(all)")
            #expect(run.errorLines.first?.contains(metalinks.url(path).absoluteString) == true, "\(run.errorLines)")
            // Another word that names no file.
            for option in ["-i", "--checksums", "--netrc-file", "--cookies", "--cacert", "--cert", "-d", "-M"] {
                let wrong = try SpateRun([option, url + "x", "\(server.url("/a"))"], in: folder)
                _ = try await wrong.exitCode()
                #expect(!wrong.child.errors.contains("sesame"), "\(option): \(wrong.child.errors)")
            }
        }
        #expect(metalinks.requests.contains { $0.fields["Authorization"] != nil })
    }

    @Test(arguments: [(SIGINT, 130), (SIGTERM, 143)] as [(Int32, Int32)])
    func aSignalWhileItIsFetchedLeavesNothing(signal: Int32, code: Int32) async throws {
        let temporary = try TemporaryFolder()
        let silent = try TestServer { .file([1, 2], for: $0).stalled(after: 1) }
        let words = ["--timeout", "600", "-M", silent.url("/m").absoluteString]
        for command in [[], ["repair"]] {
            let requests = silent.requests.count
            let run = try SpateRun(command + words, in: folder, environment: ["TMPDIR": temporary.path])
            try await silent.waitForRequests(requests + 1)
            let name = try #require(try temporary.names.first)
            let attributes = try FileManager.default.attributesOfItem(atPath: temporary.path(name))
            #expect(attributes[.posixPermissions] as? Int == 0o700)
            run.child.send(signal)
            #expect(try await run.exitCode() == code)
            #expect(try temporary.names == [])
        }
    }

    @Test func whatIsNotUsedIsSaid() async throws {
        let file = "<file name=\"f\"><url>\(server.url("/a"))</url><url>ftp://h/a</url><signature>x</signature></file>"
        try folder.write("<metalink xmlns='urn:ietf:params:xml:ns:metalink'>\(file)</metalink>", to: "m")
        let run = try await folder.spate(["-M", "m"])
        #expect(
            run.errorLines.prefix(2) == [
                "m: f: its signature is not checked", "m: f: 1 URL is not used: only http and https are",
            ]
        )
        let quiet = try await folder.spate(["-q", "-M", "m"])
        #expect(quiet.errorLines == [])
        try await folder.spate(["-o", "mine", "-M", "m"])
        #expect(try folder.text("mine") == "abc")
    }

    @Test func aMetalinkWithoutFilesIsToldByItsName() async throws {
        try folder.write("<metalink xmlns='urn:ietf:params:xml:ns:metalink'/>", to: "m")
        for option in ["-M", "-i"] {
            let run = try await folder.spate([option, "m"])
            #expect(run.errorLines == ["There is no file in m. Give another Metalink."])
        }
    }

    /// The second run finds the damage, and fetches one piece of four.
    @Test func aDamagedFileIsRepairedByItsPieces() async throws {
        let bytes = TestBytes.random(count: 400_000, seed: 3)
        let server = try TestServer { .file(bytes, etag: "\"v\"", for: $0) }
        try Data(bytes).write(to: folder.url("whole"))
        let sums =
            try ["whole"]
            + (0..<4).map { number in
                let name = "piece\(number)"
                try Data(bytes[(number * 100_000)..<((number + 1) * 100_000)]).write(to: folder.url(name))
                return name
            }
        let child = try ChildProcess("/usr/bin/sha256sum", sums, folder: folder.path)
        #expect(try await child.waitForExit() == .status(0))
        let hashes = child.output.split(separator: "\n").map { "<hash type=\"sha-256\">\($0.prefix(64))</hash>" }
        let pieces = hashes.dropFirst().map { $0.replacing(" type=\"sha-256\"", with: "") }.joined()
        let list = "<pieces type=\"sha-256\" length=\"100000\">\(pieces)</pieces>"
        let file = "<file name=\"f\"><size>400000</size>\(hashes[0])\(list)<url>\(server.url("/f"))</url></file>"
        try folder.write("<metalink xmlns='urn:ietf:params:xml:ns:metalink'>\(file)</metalink>", to: "m")
        try await folder.spate(["-q", "-M", "m"])
        let handle = try FileHandle(forWritingTo: folder.url("f"))
        try handle.seek(toOffset: 250_000)
        try handle.write(contentsOf: Data("damage".utf8))
        try handle.close()
        try await folder.spate(["-q", "-M", "m"])
        #expect(try folder.bytes("f") == bytes && server.bytesSent <= 400_000 + 100_000 + 8_192)
        #expect(server.requests.count == 2)
    }

    @Test func headersThatMayBeSecretAreRefused() async throws {
        try folder.write(document, to: "files.meta4")
        for option in ["-M", "-i"] {
            let words = [option, "files.meta4", "--header", "Authorization: Bearer t"]
            let run = try await folder.spate(words, code: 2)
            #expect(run.child.errors.contains("the header Authorization would go to them"))
        }
        #expect(server.requests.isEmpty)
        try await folder.spate(["-M", "files.meta4", "--header", "User-Agent: mine"])
        #expect(server.requests.allSatisfy { $0.fields["User-Agent"] == "mine" })
    }

    // MARK: --metalink-from-server

    /// Serves a file and the Metalink that its responses name.
    private func linkingServer(_ document: String, isDead: Locked<Bool> = Locked(false)) throws -> TestServer {
        try TestServer { request in
            if request.path == "/f.meta4" { return .status(200, body: document) }
            let link = "</f.meta4>; rel=describedby; type=\"application/metalink4+xml\""
            let reply = Reply.file(Array("abx".utf8), etag: "\"v\"", for: request).addingField("Link", link)
            return isDead.withLock { $0 } ? reply.stalled(after: 1) : reply
        }
    }

    /// The file of the server has another checksum than its Metalink says, and is fetched from the mirror there.
    private var describing: String {
        "<metalink xmlns='urn:ietf:params:xml:ns:metalink'><file name=\"other\"><size>3</size>"
            + "<hash type=\"sha-256\">\(Self.sum)</hash><url>\(server.url("/a"))</url></file></metalink>"
    }

    @Test func theMetalinkThatAServerNamesIsUsedIfAskedFor() async throws {
        let linking = try linkingServer(describing)
        let url = linking.url("/f").absoluteString
        try await folder.spate(["-d", "plain", url])
        #expect(try folder.text("plain/f") == "abx" && linking.requests.count == 1)
        let run = try await folder.spate(["-d", "checked", "--metalink-from-server", url])
        #expect(try folder.text("checked/f") == "abc")
        #expect(run.errorLines.allSatisfy { $0.hasSuffix("; trying another place now") }, "\(run.errorLines)")
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path("checked")) == ["f"])
    }

    @Test func aMetalinkOfNoUseIsSaid() async throws {
        let linking = try linkingServer("no Metalink")
        let run = try await folder.spate(["--metalink-from-server", linking.url("/f").absoluteString])
        let note = "spate: note: \(linking.url("/f")): The Metalink that the server names is not used. "
        #expect(try folder.text("f") == "abx" && run.errorLines.count == 1)
        #expect(run.errorLines.first?.hasPrefix(note) ?? false)
        let quiet = try await folder.spate([
            "-q", "-d", "q", "--metalink-from-server", linking.url("/f").absoluteString,
        ])
        #expect(quiet.errorLines == [])
    }

    /// The queue keeps the wish.
    @Test func aLaterRunAsksForTheMetalinkToo() async throws {
        let isDead = Locked(true)
        let linking = try linkingServer(describing, isDead: isDead)
        let words = ["--metalink-from-server", linking.url("/f").absoluteString]
        let run = try SpateRun(["-d", "out"] + words, in: folder)
        try await linking.waitForRequests(3)
        run.child.send(SIGTERM)
        #expect(try await run.exitCode() == 143)
        isDead.withLock { $0 = false }
        try await folder.spate(["resume", "-d", "out"])
        #expect(try folder.text("out/f") == "abc")
    }
}
