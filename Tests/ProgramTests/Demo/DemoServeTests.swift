import Foundation
import TestSupport
import Testing

@testable import SpateProgram

@Suite struct DemoServeTests {
    private let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
    }

    /// A server of its own, and what it says of its addresses.
    private func serve() async throws -> (server: SpateRun, lines: [String]) {
        let server = try SpateRun(["demo", "--serve"], in: folder)
        try await server.child.waitForOutput(containing: "refused.txt")
        return (server, server.child.output.split(separator: "\n").map(String.init))
    }

    @Test func itsOutputIsAListThatSpateFetches() async throws {
        let (server, lines) = try await serve()
        let files = DemoFile.served.filter {
            ![.killed, .pausedHalfway].contains($0.story) && $0.name != "slow-line.flac"
        }
        let list = lines.filter { line in
            files.contains { line.contains("/\($0.name) ") } || line.contains("/not-there.txt ")
        }
        #expect(list.count == files.count + 1)
        let run = try SpateRun(["--retries", "5", "-i", "-"], in: folder, input: list.joined(separator: "\n"))
        #expect(try await run.exitCode() == 1)
        #expect(run.errorLines.count == 1 && run.errorLines.first?.contains("404") == true, "\(run.errorLines)")
        for file in files {
            #expect(DemoVerdict(of: folder.url(file.name), against: file.finalContent) == .right, "\(file.name)")
        }
        server.child.send(SIGINT)
        #expect(try await server.exitCode() == 130)
    }

    @Test func anAddressRefusesEveryConnection() async throws {
        let (server, lines) = try await serve()
        let url = try #require(lines.last?.split(separator: " ").first.map(String.init))
        let run = try SpateRun(["--retries", "0", url], in: folder)
        #expect(try await run.exitCode() == 1)
        #expect(run.errorLines.first?.contains("Cannot connect to 127.0.0.1") == true)
        server.child.send(SIGTERM)
        #expect(try await server.exitCode() == 143)
    }

    @Test(arguments: DemoFile.Story.allCases)
    func aStoryBeginsAnewWhenItHasComeToItsEnd(story: DemoFile.Story) {
        let file = DemoFile("a.bin", story, size: 9999, rate: 1)
        let visits = DemoVisits(files: [file])
        var told: [[DemoReply]] = []
        for _ in 1...2 {
            var replies: [DemoReply] = []
            repeat {
                let request = DemoRequest(path: replies.last?.status == 302 ? "/new/a.bin" : "/a.bin")
                let (number, visit) = visits.begin(request)
                let reply = file.reply(to: request, visit: visit)
                visits.answer(number, with: reply)
                visits.finish(number, sent: reply.body.count, end: Self.end(of: reply))
                replies.append(reply)
            } while replies.last?.body.upperBound != file.finalContent.size
            told.append(replies)
        }
        #expect(told[0] == told[1])
    }

    private static func end(of reply: DemoReply) -> DemoExchange.End {
        reply.ending == .whole ? .whole : .clientLeft
    }

    @Test func whatIsNotThereIsNotCounted() {
        let visits = DemoVisits(files: [])
        for _ in 1...2 { #expect(visits.begin(DemoRequest(path: "/x")).visit == 1) }
    }

    @Test func itIsNotQuietWhileItAnswers() {
        let visits = DemoVisits(files: [])
        let before = visits.quietSince
        let (number, _) = visits.begin(DemoRequest(path: "/x"))
        #expect(visits.quietSince > before)
        visits.finish(number, sent: 0, end: .whole)
        let after = visits.quietSince
        #expect(visits.quietSince == after)
    }

    @Test func tarUnpacksItsArchive() async throws {
        let file = try #require(DemoFile.served.first { $0.name == "photos.tar" })
        try Data(file.content.bytes(0..<file.content.size)).write(to: folder.url(file.name))
        let tar = try ChildProcess("/bin/tar", ["-xf", file.name], folder: folder.path)
        #expect(try await tar.waitForExit() == .status(0), "\(tar.errors)")
        #expect(tar.errors == "")
        #expect(try folder.bytes("photos/README").count == 34)
        let photo = DemoContent(seed: 1, size: 123_456).bytes(0..<123_456)
        #expect(TestBytes.difference(try folder.bytes("photos/1.raw"), from: photo) == nil)
    }

    @Test func onlyTheDemoServes() {
        #expect(throws: UsageError.self) { try ArgumentParser.parse(["--serve", "http://h/a"]) }
        #expect(throws: UsageError.self) { try ArgumentParser.parse(["resume", "--serve"]) }
    }
}
