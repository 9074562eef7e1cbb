import Foundation
import SpateTestSupport
import Testing

@testable import SpateDemo

@Suite(.mostlyWaits) struct DemoServeTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    @Test func spateFetchesTheListThatTheServerPrints() async throws {
        let server = try SpateRun(["demo", "--serve"], in: folder)
        try await server.child.waitForOutput(containing: "refused.txt")
        let lines = server.child.output.split(separator: "\n").map(String.init)
        let files = DemoFile.served.filter {
            ![.killed, .pausedHalfway].contains($0.scenario) && $0.name != "slow-line.flac"
        }
        let list = lines.filter { line in
            files.contains { line.contains("/\($0.name) ") } || line.contains("/not-there.txt ")
        }
        #expect(list.count == files.count + 1)
        let text = list.joined(separator: "\n")
        let run = try await folder.spate(["--retries", "5", "-i", "-"], input: text, code: 1)
        let failures = run.errorLines.filter { $0.hasPrefix("spate: ") }
        #expect(failures.count == 1 && failures[0].hasSuffix("/not-there.txt: 404 Not Found"), "\(failures)")
        for file in files {
            #expect(DemoVerdict(of: folder.url(file.name), against: file.finalContent) == .right, "\(file.name)")
        }
        server.child.send(SIGINT)
        #expect(try await server.exitCode() == 130)
    }

    @Test(arguments: DemoFile.Scenario.allCases)
    func aScenarioStartsOverAfterItsEnd(scenario: DemoFile.Scenario) {
        let file = DemoFile("a.bin", scenario, size: 9999, rate: 1)
        let visits = DemoLog(files: [file], startsOver: true)
        var runs: [[DemoReply]] = []
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
            runs.append(replies)
        }
        #expect(runs[0] == runs[1])
    }

    private static func end(of reply: DemoReply) -> DemoExchange.End {
        reply.ending == .whole ? .whole : .clientLeft
    }

    @Test func aRunningResponseIsTraffic() {
        let visits = DemoLog(files: [], startsOver: true)
        let before = visits.quietSince
        let (number, _) = visits.begin(DemoRequest(path: "/x"))
        #expect(visits.quietSince > before)
        visits.finish(number, sent: 0, end: .whole)
        let after = visits.quietSince
        #expect(visits.quietSince == after)
    }
}

@Suite struct DemoRequestTests {
    @Test(arguments: ["", "GET\r\n\r\n", "GET / HTTP/1.1\r\nno colon\r\n\r\n"])
    func anInvalidHeadIsRefused(head: String) {
        #expect(DemoRequest(head: head) == nil)
    }

    @Test(arguments: ["bytes=x-", "bytes=-500", "bytes=0-1,5-6", "items=0-"])
    func otherKindsOfRangesAreIgnored(range: String) {
        let request = DemoRequest(head: "GET /a.bin HTTP/1.1\r\nRange: \(range)\r\n\r\n")
        #expect(request == DemoRequest(path: "/a.bin"))
    }

    @Test func aRangeAfterTheEndIsRefused() {
        let file = DemoFile("a.bin", .plain, size: 999, rate: 1)
        #expect(file.reply(to: DemoRequest(path: "/a.bin", rangeStart: 999), visit: 1).status == 416)
    }
}
