import Foundation
import Spate
import SpateTestSupport
import Testing

@Suite(.mostlyWaits) struct ResumptionTests {
    let bytes = TestBytes.random(count: 300_000)

    /// Cancels a download that its server stalls, and waits until its file is closed.
    private func leavePart(of url: URL, by test: TestManager) async throws {
        let download = test.manager.download(url)
        try await eventually("some bytes") { download.progress.receivedBytes == 100_000 }
        download.cancel()
        #expect(try await download.ended().error?.code == .cancelled)
        try await eventually("the partial file is let go of") {
            try test.manager.storedDownloads().allSatisfy { !$0.isInUse }
        }
    }

    /// - Parameters:
    ///   - count: how many are enqueued in one call.
    ///   - isNameTaken: whether another URL's file has the name, so that the partial file has another one.
    @Test(arguments: [1, 40], [false, true])
    func whatIsOnDiskCountsBeforeADownloadBegins(count: Int, isNameTaken: Bool) async throws {
        let server = try TestServer { [bytes] request in
            let reply = Reply.file(bytes, etag: "\"v1\"", for: request)
            return request.path == "/other/f" ? reply : reply.stalled(after: 100_000)
        }
        let test = try TestManager()
        if isNameTaken { _ = try await test.manager.download(server.url("/other/f")).ended().get() }
        try await leavePart(of: server.url("/f"), by: test)
        let other = try TestManager(folder: test.folder) { $0.maxConcurrentDownloads = 1 }
        // It has the one slot.
        other.manager.download(server.url("/busy"))
        let downloads = other.manager.download((0..<count).map { server.url($0 == 0 ? "/f" : "/\($0)") })
        #expect(downloads[0].progress.receivedBytes == 100_000 && downloads[0].progress.totalBytes == 300_000)
        #expect(downloads.dropFirst().allSatisfy { $0.progress.receivedBytes == 0 })
        #expect(Standing(downloads[0].state) == .waitsForSlot)
    }

    /// What a manager read of its folder when many were enqueued may be long ago when their turns come.
    @Test func whatOthersFinishOrBeginBeforeADownloadsTurnIsNotFetchedAgain() async throws {
        let server = try TestServer { [bytes] request in
            let reply = Reply.file(bytes, etag: "\"v1\"", for: request)
            if request.path == "/busy" { return .silence }
            return request.path == "/begun" && request.visit == 1 ? reply.stalled(after: 100_000) : reply
        }
        let late = try TestManager { $0.maxConcurrentDownloads = 1 }
        let busy = late.manager.download(server.url("/busy"))
        let urls = ["/whole", "/begun"].map { server.url($0) } + (0..<40).map { server.url("/\($0)") }
        let downloads = late.manager.download(urls)
        let early = try TestManager(folder: late.folder)
        _ = try await early.manager.download(urls[0]).ended().get()
        try await leavePart(of: urls[1], by: early)
        busy.cancel()
        for download in downloads { _ = try await download.ended().get() }
        #expect(server.requests.filter { $0.path == "/whole" }.count == 1)
        #expect(server.requests.filter { $0.path == "/begun" }.map(\.range) == [nil, .rest(from: 100_000)])
    }

    /// The manager's folder says nothing of others.
    @Test func amongManyWhatIsFinishedInAnotherFolderHasFinishedAtOnce() async throws {
        let server = try TestServer { [bytes] in .file(bytes, etag: "\"v1\"", for: $0) }
        let test = try TestManager()
        let requests = (0..<40).map {
            DownloadRequest(server.url("/\($0)"), directory: test.folder.url("elsewhere"))
        }
        _ = try await test.manager.download(requests[0]).ended().get()
        let downloads = test.manager.download(requests)
        #expect(downloads[0].state.isTerminal && server.requests.filter { $0.path == "/0" }.count == 1)
        test.manager.cancelAll()
    }
}
