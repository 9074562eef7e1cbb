import Foundation
import SpateLocking
import SpateTestSupport
import Testing

@testable import SpateProgram

/// `--failed`: the lines that failed, to be an input again.
@Suite(.takesTurns) struct FailedFileTests {
    private let folder: TemporaryFolder
    private let server: TestServer
    /// Whether the server has everything by now.
    private let isUp = Locked(false)

    init() throws {
        folder = try TemporaryFolder()
        server = try TestServer { [isUp] request in
            request.path.hasPrefix("/here") || isUp.withLock({ $0 }) ? .status(200, body: request.path) : .status(404)
        }
    }

    private func url(_ path: String) -> String { server.url(path).absoluteString }

    private func mode(of name: String) throws -> Int? {
        try FileManager.default.attributesOfItem(atPath: folder.path(name))[.posixPermissions] as? Int
    }

    @Test func linesThatFailAreWrittenAsTheyWereReadAndAreAnInputAgain() async throws {
        let mirrored = "\(url("/a"))\t\(url("/b"))"
        let login = server.url("/c", authority: "user:secret@127.0.0.1").absoluteString
        let list = """
            \u{FEFF}\(mirrored) # with a mirror\r
              out=first\r
            # a comment
            \(url("/here"))
              out=second
              \(login)
             header=X-One: 1
            \tdir=deep/er
            \(url("/here/2"))
            """
        try folder.write("old", to: "failed")
        #expect(chmod(folder.path("failed"), 0o644) == 0)
        let words = ["-j", "1", "-i", "-", url("/word"), "--failed", "failed"]
        let run = try await folder.spate(words, input: list, code: 1)
        let lines = """
            \(url("/word"))
            \(mirrored) # with a mirror
              out=first
              \(login)
             header=X-One: 1
            \tdir=deep/er

            """
        #expect(try items("failed") == items(of: lines))
        #expect(try mode(of: "failed") == 0o600)
        #expect(run.errorLines.last == "spate: 3 failed (3 HTTP 404): run the same command again")
        isUp.withLock { $0 = true }
        try await folder.spate(["-i", "failed", "--failed", "again"])
        #expect(try folder.text("first") == "/a" && folder.text("deep/er/c") == "/c" && folder.text("word") == "/word")
        // Nothing failed.
        #expect(try folder.text("again") == "" && mode(of: "again") == 0o600)
        // Nothing was to be done.
        try await folder.spate(["-i", "-", "--failed", "failed"])
        #expect(try folder.text("failed") == "")
    }

    @Test func whatFailedIsThereWhenTheRunIsKilled() async throws {
        let silent = try TestServer { $0.path == "/gone" ? .status(404) : .silence }
        let words = ["-q", "-j", "1", "--timeout", "600", "--failed", "failed"]
        let urls = ["/gone", "/silent", "/waiting"].map { silent.url($0).absoluteString }
        let run = try SpateRun(words + urls, in: folder)
        try await silent.waitForRequests(2)
        try await eventually("the failure is written") { try folder.text("failed") != "" }
        run.child.send(SIGKILL)
        try await run.child.waitForExit()
        #expect(try folder.text("failed") == "\(urls[0])\n")
        // What was stopped has not failed.
        let next = try SpateRun(words + urls.dropFirst(), in: folder)
        try await silent.waitForRequests(3)
        next.child.send(SIGTERM)
        #expect(try await next.exitCode() == 143)
        #expect(try folder.text("failed") == "")
    }

    @Test func aFileThatIsReadIsNotEmptied() async throws {
        try folder.write("\(url("/here"))\n", to: "list")
        try FileManager.default.createSymbolicLink(at: folder.url("link"), withDestinationURL: folder.url("list"))
        #expect(link(folder.path("list"), folder.path("other")) == 0)
        for (words, name) in [
            (["-i", "list"], "list"), (["-i", "list"], "link"), (["-i", "list"], "./other"),
            (["--log", "new", url("/here")], "new"), (["--cookies", "list", url("/here")], "other"),
            (["--header", "@list", url("/here")], "list"), (["--netrc-file", "list", url("/here")], "list"),
            (["--checksums", "list", url("/here")], "list"), (["--cacert", "list", url("/here")], "list"),
            (["--cert", "list", url("/here")], "list"), (["--key", "list", "--cert", "x", url("/here")], "list"),
        ] {
            let run = try await folder.spate(words + ["--failed", name], code: 2)
            let option = words[0] == "-i" ? "--input" : words[0]
            #expect(run.errorLines.first?.hasPrefix("spate: --failed \(name) is also the file of \(option)") == true)
        }
        let script = "exec \(try BuiltProgram.path("spate")) -i - --failed other <list"
        let redirected = try ChildProcess("/bin/sh", ["-c", script], folder: folder.path)
        #expect(try await redirected.waitForExit() == .status(2))
        #expect(try folder.text("list") == "\(url("/here"))\n" && server.requests.isEmpty)
    }

    @Test func standardOutputAndAFullDiskAreFilesToo() async throws {
        let urls = [url("/a"), url("/here"), url("/b c")]
        let run = try await folder.spate(["-q", "-j", "1", "--failed", "-"] + urls, code: 1)
        #expect(run.child.output == "\(urls[0])\n\(url("/b%20c"))\n")
        let full = try await folder.spate(["-q", "--failed", "/dev/full"] + urls, code: 1)
        let notice = Notice.failedFileIncomplete("/dev/full", reason: "No space left on device").text
        #expect(full.errorLines.count { $0 == notice } == 1)
    }

    /// It is in a file already, and whoever resumes names that again.
    @Test func aLoginOfNetrcIsNotWritten() async throws {
        try folder.write("machine 127.0.0.1 login me password sesame\n", to: "netrc")
        let urls = ["/a", "/b"].map(url)
        let words = ["--netrc-file", "netrc", "--failed", "failed"]
        for words in [words + urls, ["resume"] + words] {
            let run = try await folder.spate(words, code: 1)
            #expect(try items("failed") == Set(urls))
            #expect(run.errorLines.last == "spate: 2 failed (2 HTTP 404): spate resume --netrc-file netrc")
        }
        #expect(server.requests.count == 4 && server.requests.allSatisfy { $0.fields["Authorization"] != nil })
    }

    /// A part of a line would be another URL.
    @Test func aLineThatDoesNotFitOnTheDiskIsLeftOutWhole() async throws {
        let lines = (0..<20).map { url("/a/\($0)/\(String(repeating: "x", count: 50))") }
        try folder.write(lines.joined(separator: "\n"), to: "list")
        // Two blocks of 512 bytes.
        let script = "trap '' XFSZ; ulimit -f 2; exec \(try BuiltProgram.path("spate")) -i list --failed failed"
        let child = try ChildProcess("/bin/sh", ["-c", script], folder: folder.path)
        #expect(try await child.waitForExit() == .status(1))
        #expect(child.errors.contains(Notice.failedFileIncomplete("failed", reason: "File too large").text))
        let written = try folder.text("failed")
        #expect(written.hasSuffix("\n") && written.utf8.count > 800)
        #expect(Set(written.split(separator: "\n").map(String.init)).isSubset(of: lines))
    }

    @Test func theOptionsOfTheOnlyFileAreOptionsOfItsLine() async throws {
        let options = ["-o", "sub/x", "--mirror", url("/b"), "--checksum", "md5:\(String(repeating: "0", count: 32))"]
        try await folder.spate(["-q", "--failed", "failed", "--header", "A: b"] + options + [url("/a")], code: 1)
        let lines = """
            \(url("/a"))\t\(url("/b"))
              out=x
              dir=\(folder.path("sub"))
              checksum=md5=\(String(repeating: "0", count: 32))

            """
        #expect(try folder.text("failed") == lines)
        isUp.withLock { $0 = true }
        let wrong = try await folder.spate(["-q", "-i", "failed"], code: 1)
        #expect(wrong.child.errors.contains("The MD5 is ") && !FileManager.default.fileExists(atPath: folder.path("a")))
    }

    @Test func whatResumeCannotFinishIsWrittenInTheFormOfALine() async throws {
        let list = """
            \(url("/a"))\t\(url("/b"))
              out=first
              dir=deep/er
              checksum=sha-256=\(String(repeating: "0", count: 64))

            """
        try await folder.spate(["-q", "-i", "-"], input: list + url("/c"), code: 1)
        try await folder.spate(["resume", "-q", "-j", "1", "--failed", "failed"], code: 1)
        let absolute = list.replacing("dir=deep", with: "dir=\(folder.path("deep"))")
        #expect(try items("failed") == items(of: absolute + url("/c") + "\n"))
    }

    /// The items of a file with their lines, in no order: a download that tries a mirror lets others pass.
    private func items(_ name: String) throws -> Set<String> { items(of: try folder.text(name)) }

    private func items(of text: String) -> Set<String> {
        var items: [String] = []
        for line in text.split(separator: "\n") {
            if line.contains("://") { items.append("\(line)") } else { items[items.count - 1] += "\n\(line)" }
        }
        return Set(items)
    }
}
