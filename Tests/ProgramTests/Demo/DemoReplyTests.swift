import Testing

@testable import SpateProgram

@Suite struct DemoReplyTests {
    private func file(_ story: DemoFile.Story) -> DemoFile { DemoFile("a.bin", story, size: 999, rate: 1) }

    @Test func aHeadIsRead() throws {
        let head = "GET /x/a.bin HTTP/1.1\r\nHost: h\r\nrange: bytes=5-\r\nIf-Range: \"v1\"\r\n\r\n"
        let request = try #require(DemoRequest(head: head))
        #expect(request == DemoRequest(path: "/x/a.bin", rangeStart: 5, ifRange: "\"v1\""))
        #expect(request.name == "a.bin")
    }

    @Test(arguments: [
        "", "GET\r\n\r\n", "GET / HTTP/1.1\r\nno colon\r\n\r\n",
    ])
    func whatIsNoRequestIsNone(head: String) {
        #expect(DemoRequest(head: head) == nil)
    }

    @Test(arguments: ["bytes=x-", "bytes=-500", "bytes=0-1,5-6", "items=0-"])
    func aRangeOfAnotherKindIsIgnored(range: String) {
        let request = DemoRequest(head: "GET /a.bin HTTP/1.1\r\nRange: \(range)\r\n\r\n")
        #expect(request == DemoRequest(path: "/a.bin"))
    }

    @Test func aRangeOfTheSameVersionIsContinued() {
        let reply = file(.plain).reply(to: DemoRequest(path: "/a.bin", rangeStart: 100, ifRange: "\"v1\""), visit: 2)
        #expect(reply.status == 206)
        #expect(reply.body == 100..<999)
        #expect(reply.fields.contains("Content-Range: bytes 100-998/999"))
    }

    @Test func aRangeOfAnotherVersionIsAnsweredWhole() {
        let file = file(.changed)
        let reply = file.reply(to: DemoRequest(path: "/a.bin", rangeStart: 100, ifRange: "\"v1\""), visit: 2)
        #expect(reply.status == 200)
        #expect(reply.content == file.finalContent)
        #expect(reply.body == 0..<file.finalContent.size)
    }

    @Test func aRangeBehindTheEndIsRefused() {
        #expect(file(.plain).reply(to: DemoRequest(path: "/a.bin", rangeStart: 999), visit: 1).status == 416)
    }

    @Test(arguments: DemoFile.Story.allCases)
    func everyStoryComesToItsEndByTheThirdVisit(story: DemoFile.Story) {
        let reply = file(story).reply(to: DemoRequest(path: "/elsewhere/a.bin"), visit: 3)
        #expect(reply.ending == .whole)
        #expect(reply.body == 0..<file(story).finalContent.size)
    }

    @Test(arguments: DemoFile.Story.allCases.filter { $0 != .plain && $0 != .chunked })
    func everyMisdeedIsDone(story: DemoFile.Story) {
        let first = file(story).reply(to: DemoRequest(path: "/a.bin"), visit: 1)
        #expect(first.ending != .whole || first.status != 200)
    }
}
