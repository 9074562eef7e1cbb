import Foundation
import Glibc
import SpateConsole
import SpateTestSupport
import Testing

@testable import SpateProgram

@Suite(.takesTurns) struct VerifyTests {
    private static let abc = Array("abc".utf8)
    private static let digest = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"

    private let folder: TemporaryFolder
    private let server: TestServer

    init() throws {
        folder = try TemporaryFolder()
        server = try TestServer { .file(TestFile(Self.abc, etag: "\"v1\""), for: $0) }
    }

    private func url(_ target: String) -> String { server.url(target).absoluteString }

    /// Fetches `/good` and `/bad` with their checksums, and `/plain` without, then damages `bad`.
    private func fill() async throws {
        let names = ["good", "bad", "plain"]
        try folder.write("\(Self.digest)  good\n\(Self.digest)  bad\n", to: "LIST")
        try await folder.spate(["-q", "--checksums", "LIST"] + names.map { url("/\($0)") })
        try folder.write("abd", to: "damage")
        let file = try FileHandle(forWritingTo: folder.url("bad"))
        try file.write(contentsOf: folder.bytes("damage"))
        try file.close()
        for name in ["damage", "LIST"] { try FileManager.default.removeItem(at: folder.url(name)) }
    }

    @Test func aLineForEachFileAndAReasonForEachBadOne() async throws {
        let nothing = try await folder.spate(["verify"])
        #expect(nothing.errorLines == [Notice.nothingToVerify(in: folder.path).text] && nothing.child.output == "")
        try await fill()
        let requests = server.requests.count
        let run = try await folder.spate(["verify"], code: 1)
        #expect(
            run.child.output.split(separator: "\n") == [
                "damaged    3 B       bad  \(url("/bad"))", "verified   3 B       good  \(url("/good"))",
                "size-only  3 B       plain  \(url("/plain"))",
            ]
        )
        #expect(run.errorLines.count == 1)
        let reason = try #require(run.errorLines.first)
        #expect(reason.hasPrefix("spate: \(url("/bad")): The SHA-256 of \(folder.path("bad")) is a52d159f"))
        #expect(reason.contains(", not \(Self.digest)."))
        let quiet = try await folder.spate(["verify", "-q", "-j", "1"], code: 1)
        #expect(quiet.child.output == "" && quiet.errorLines == run.errorLines)
        let events = try await folder.spate(["verify", "--json"], code: 1).events()
        #expect(events.map { $0["state"] as? String } == ["damaged", "verified", "size-only"])
        #expect(events.allSatisfy { $0["event"] as? String == "verify" && $0["received"] as? Int == 3 })
        #expect(events.first?["code"] as? String == "checksumMismatch")
        #expect(events.last?["file"] as? String == folder.path("plain"))
        #expect(server.requests.count == requests)
    }

    @Test func repairFetchesOnlyDamagedFilesAnew() async throws {
        try await fill()
        try folder.write("more than abc", to: "edited")
        let requests = server.requests.count
        try await folder.spate(["verify", "--repair"])
        #expect(server.requests.dropFirst(requests).map(\.path) == ["/bad"])
        #expect(try folder.bytes("bad") == Self.abc && folder.names == ["bad", "edited", "good", "plain"])
        try await folder.spate(["verify"])
        // What somebody has changed is told, and then fetched anew.
        let file = try FileHandle(forWritingTo: folder.url("good"))
        try file.seekToEnd()
        try file.write(contentsOf: Data("more".utf8))
        try file.close()
        for options in [[], ["--repair"]] {
            let again = try await folder.spate(["verify"] + options, code: options.isEmpty ? 1 : 0)
            #expect(again.child.output.contains("changed    7 B of 3 B  good"))
        }
        #expect(try folder.bytes("good") == Self.abc && folder.names == ["bad", "edited", "good", "plain"])
    }

    @Test func afterAFailedRepairTheDamagedFileIsStillThere() async throws {
        try await fill()
        server.stop()
        let run = try await folder.spate(["verify", "--repair", "--retries", "0"], code: 1)
        #expect(run.errorLines.count == 2)
        #expect(try folder.text("bad") == "abd" && folder.files == ["bad", "good", "plain"])
        // A later run tries the repair again.
        #expect(try await folder.spate(["status"]).child.output.contains("failed"))
    }

    /// One file is as it was, one has changed, and one has gone.
    @Test func serversAreAskedIfWantedAndTheirNewVersionsFetched() async throws {
        let isLater = Watched(false)
        let server = try TestServer { request in
            guard isLater.value, request.path != "/same" else {
                return .file(TestFile(Self.abc, etag: "\"v1\""), for: request)
            }
            return request.path == "/gone" ? .status(404) : .file(TestFile("new", etag: "\"v2\""), for: request)
        }
        let urls = ["gone", "other", "same"].map { server.url("/\($0)").absoluteString }
        try await folder.spate(["-q"] + urls)
        isLater.update { $0 = true }
        try await folder.spate(["verify"])
        #expect(server.requests.count == 3)
        let run = try await folder.spate(["verify", "--online", "--header", "X-Token: t"], code: 1)
        #expect(
            run.child.output.split(separator: "\n") == [
                "failed     -        3 B       gone  \(urls[0])", "outdated   -        3 B       other  \(urls[1])",
                "size-only  current  3 B       same  \(urls[2])",
            ]
        )
        #expect(run.errorLines.count == 2 && server.requests.count == 6)
        #expect(server.requests.dropFirst(3).allSatisfy { $0.fields["X-Token"] == "t" && $0.ifNoneMatch == "\"v1\"" })
        let events = try await folder.spate(["verify", "--online", "--json"], code: 1).events()
        #expect(events.map { $0["state"] as? String } == ["failed", "outdated", "size-only"])
        #expect(events.map { $0["code"] as? String } == ["httpStatus", "outdated", nil])
        #expect(events.map { $0["update"] as? String } == [nil, nil, "unchanged"])
        #expect(try folder.text("other") == "abc")
        try await folder.spate(["verify", "--online", "--repair"], code: 1)
        #expect(try folder.text("other") == "new" && folder.names == ["gone", "other", "same"])
    }

    @Test func aProgramRefreshesTheQuestionsAndTheRepairs() async throws {
        let server = try TestServer { request in
            guard request.fields["X-Token"] == "fresh" else { return .status(403) }
            return .file(TestFile("abc", etag: request.visit == 1 ? "\"v1\"" : "\"v2\""), for: request)
        }
        let url = server.url("/f").absoluteString
        try await folder.spate(["-q", "--header", "X-Token: fresh", url])
        let script = "#!/bin/sh\ncat >/dev/null\necho '{\"headers\":{\"X-Token\":\"fresh\"}}'\n"
        try folder.write(script, to: "refresh")
        try FileManager.default.setAttributes([.posixPermissions: 0o700], ofItemAtPath: folder.path("refresh"))
        try await folder.spate(["verify", "--online", "--retries", "0"], code: 1)
        try await folder.spate(["verify", "--online", "--repair", "--refresh-command", "./refresh"])
        let allowed = server.requests.filter { $0.fields["X-Token"] == "fresh" }
        #expect(allowed.map(\.ifNoneMatch) == [nil, "\"v1\"", "\"v1\""])
    }

    @Test func aListIsVerifiedByName() async throws {
        try await fill()
        try folder.write("abc", to: "mine")
        try FileManager.default.createDirectory(at: folder.url("sub"), withIntermediateDirectories: false)
        try folder.write("abd", to: "sub/deep")
        let lines = ["iso/plain", "./mine", "sub/deep", "none", "../bad"].map { "\(Self.digest)  \($0)\n" }
        try folder.write(lines.joined(), to: "sub/LIST")
        let run = try await folder.spate(["verify", "--checksums", "sub/LIST"], code: 1)
        #expect(
            run.child.output.split(separator: "\n") == [
                "damaged    3 B       bad  \(url("/bad"))", "verified   3 B       good  \(url("/good"))",
                "verified   3 B       mine  not from Spate", "missing    -         none  -",
                "verified   3 B       plain  \(url("/plain"))", "damaged    3 B       sub/deep  not from Spate",
            ]
        )
        #expect(run.errorLines.count == 3)
        #expect(run.errorLines.contains { $0.hasPrefix("spate: There is no file \(folder.path("none")), which has") })
    }

    /// The signal may come at either step: while files are read, or fetched.
    @Test func aSignalEndsEitherStep() async throws {
        let (gate, isRepaired) = (try Gate(), Watched(false))
        let server = try TestServer { request in
            let reply = Reply.file(Array(repeating: 1, count: 400_000), for: request)
            return isRepaired.value ? reply.gated(after: 200_000, gate) : reply
        }
        let url = server.url("/f").absoluteString
        let digest = "f8613ea8f26669db482f14ca221f93c32acc754a73499f893e32d917e304f221"
        try await folder.spate(["-q", "--checksum", "sha256:\(digest)", url])
        let file = try FileHandle(forWritingTo: folder.url("f"))
        try file.write(contentsOf: Data("x".utf8))
        try file.close()
        isRepaired.update { $0 = true }
        let repairing = try SpateRun(["verify", "--repair", "--timeout", "600"], in: folder)
        try await gate.reached()
        try await eventually("the partial file is there") { try folder.names.contains("f.part") }
        repairing.child.send(SIGINT)
        #expect(try await repairing.exitCode() == 130, "\(repairing.child.errors)")
        #expect(repairing.errorLines.contains { $0.hasPrefix("spate: to continue: spate resume") })
        #expect(try folder.bytes("f").first == UInt8(ascii: "x"))
        isRepaired.update { $0 = false }
        try await folder.spate(["resume"])
        #expect(try folder.bytes("f") == Array(repeating: 1, count: 400_000))

        // It would take minutes to read.
        #expect(truncate(folder.path("f"), 1 << 40) == 0)
        try folder.write("\(digest)  f\n", to: "LIST")
        let reading = try SpateRun(["verify", "--repair", "--checksums", "LIST"], in: folder)
        let files = "/proc/\(reading.child.pid)/fd"
        try await eventually("the file is read") {
            let names = try FileManager.default.contentsOfDirectory(atPath: files)
            return names.contains {
                (try? FileManager.default.destinationOfSymbolicLink(atPath: "\(files)/\($0)")) == folder.path("f")
            }
        }
        reading.child.send(SIGTERM)
        #expect(try await reading.exitCode() == 143)
    }

    /// As `status` does.
    @Test(arguments: [".", "./", "FOLDER//", "FOLDER/in/..", "FOLDER"])
    func aPathIsShownBelowTheFolderHoweverThatIsTyped(typed: String) async throws {
        try await folder.spate(["-q", "--url-folders", "-d", "in", url("/p/a")])
        let directory = typed.replacing("FOLDER", with: folder.path) + "/in"
        for command in ["verify", "status"] {
            let row = try await folder.spate([command, "-d", directory]).child.output
            #expect(row.contains("  127.0.0.1:\(server.port)/p/a  "), "\(command): \(row)")
        }
    }

    @Test func aClosedPipeEndsIt() async throws {
        try await fill()
        let script = "exec \(try BuiltProgram.path("spate")) verify >&-"
        let closed = try ChildProcess("/bin/sh", ["-c", script], folder: folder.path)
        #expect(try await closed.waitForExit() == .status(141))
    }
}
