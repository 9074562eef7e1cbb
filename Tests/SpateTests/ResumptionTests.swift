import Foundation
import Spate
import TestSupport
import Testing

@Suite(.mostlyWaits) struct ResumptionTests {
    let bytes = TestBytes.random(count: 300_000)

    @Test func aCutIsContinuedUnderTheSameTag() async throws {
        let server = try TestServer { [bytes] request in
            let reply = Reply.file(bytes, etag: "\"v1\"", for: request)
            return request.visit == 1 ? reply.cut(after: 100_000) : reply
        }
        let test = try TestManager()
        _ = try await test.manager.download(server.url("/f")).ended().get()
        #expect(TestBytes.difference(try test.bytes("f"), from: bytes) == nil)
        #expect(server.requests.map(\.range) == [nil, .rest(from: 100_000)])
        #expect(server.requests.last?.ifRange == "\"v1\"")
    }

    @Test func aDateContinuesWhereThereIsNoTag() async throws {
        let date = Date(timeIntervalSince1970: 1_700_000_000)
        let server = try TestServer { [bytes] request in
            let reply = Reply.file(TestFile(bytes, lastModified: date), for: request)
            return request.visit == 1 ? reply.cut(after: 100_000) : reply
        }
        let test = try TestManager()
        _ = try await test.manager.download(server.url("/f")).ended().get()
        #expect(TestBytes.difference(try test.bytes("f"), from: bytes) == nil)
        #expect(server.requests.last?.range == .rest(from: 100_000))
        #expect(server.requests.last?.ifRange == "Tue, 14 Nov 2023 22:13:20 GMT")
    }

    @Test func aFileThatChangedIsFetchedAnew() async throws {
        let other = TestBytes.random(count: 280_000, seed: 9)
        let server = try TestServer { [bytes] request in
            request.visit == 1
                ? .file(bytes, etag: "\"v1\"", for: request).cut(after: 100_000)
                : .file(other, etag: "\"v2\"", for: request)
        }
        let test = try TestManager()
        _ = try await test.manager.download(server.url("/f")).ended().get()
        #expect(TestBytes.difference(try test.bytes("f"), from: other) == nil && server.requests.count == 2)
    }

    @Test func withoutAValidatorAnOverlapIsCompared() async throws {
        let server = try TestServer { [bytes] request in
            let reply = Reply.file(bytes, for: request)
            return request.visit == 1 ? reply.cut(after: 200_000) : reply
        }
        let test = try TestManager()
        _ = try await test.manager.download(server.url("/f")).ended().get()
        #expect(TestBytes.difference(try test.bytes("f"), from: bytes) == nil)
        #expect(server.requests.map(\.range) == [nil, "bytes=\(200_000 - 65536)-"])
    }

    @Test func anOverlapIsNoProgress() async throws {
        // The overlap comes in several blocks, and differs at its end.
        var other = bytes
        other[199_000] ^= 1
        let gate = try Gate()
        let server = try TestServer { [bytes, other] request in
            request.visit == 1
                ? .file(bytes, etag: "W/\"v1\"", for: request).cut(after: 200_000).heldBack(by: gate)
                : .file(other, etag: "W/\"v1\"", for: request).dripped(bytes: 30_000, every: .milliseconds(300))
        }
        let test = try TestManager()
        let download = test.manager.download(server.url("/f"))
        var (received, attempts): (Int64, Int) = (0, 0)
        var states: [DownloadState] = []
        let events = download.events
        gate.open()
        for await event in events {
            if case .state(let state) = event { states.append(state) }
            switch event {
            case .state(.running): (received, attempts) = (0, attempts + 1)
            case .state: break
            case .progress(let progress):
                #expect(progress.receivedBytes >= received, "attempt \(attempts)")
                received = progress.receivedBytes
            }
        }
        #expect(TestBytes.difference(try test.bytes("f"), from: other) == nil)
        #expect(attempts == 2, "\(states)")
    }

    @Test func anOverlapThatDiffersStartsOver() async throws {
        let other = TestBytes.random(count: 300_000, seed: 9)
        let server = try TestServer { [bytes] request in
            request.visit == 1
                ? .file(bytes, etag: "W/\"v1\"", for: request).cut(after: 200_000)
                : .file(other, etag: "W/\"v1\"", for: request)
        }
        let test = try TestManager()
        _ = try await test.manager.download(server.url("/f")).ended().get()
        #expect(TestBytes.difference(try test.bytes("f"), from: other) == nil)
        #expect(server.requests.map(\.range) == [nil, "bytes=\(200_000 - 65536)-", nil])
    }

    @Test func aPausedDownloadAsksOnlyForTheRest() async throws {
        let server = try TestServer { [bytes] request in
            let reply = Reply.file(bytes, etag: "\"v1\"", for: request)
            return request.visit == 1 ? reply.stalled(after: 100_000) : reply
        }
        let test = try TestManager()
        let heard = Recorder<Int64>()
        let download = test.manager.download(server.url("/f"), progress: { heard.append($0.receivedBytes) })
        try await heard.wait(until: { $0.last == 100_000 })
        test.manager.pause(server.url("/f"))
        guard case .paused = download.state else {
            Issue.record("not paused: \(download.state)")
            return
        }
        #expect(download.operation == nil)
        test.manager.resume(server.url("/f"))
        _ = try await download.ended().get()
        #expect(TestBytes.difference(try test.bytes("f"), from: bytes) == nil)
        #expect(server.requests.map(\.range) == [nil, .rest(from: 100_000)])
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
        let heard = Recorder<Int64>()
        let first = test.manager.download(server.url("/f"), progress: { heard.append($0.receivedBytes) })
        try await heard.wait(until: { $0.last == 100_000 })
        first.cancel()
        _ = try await first.ended()
        try await eventually("the partial file is let go of") {
            try test.manager.storedDownloads().allSatisfy { !$0.isInUse }
        }

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
        let begun = early.manager.download(urls[1])
        try await eventually("some bytes") { begun.progress.receivedBytes == 100_000 }
        begun.cancel()
        try await eventually("the partial file is let go of") {
            try early.manager.storedDownloads().allSatisfy { !$0.isInUse }
        }
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

    @Test func anotherManagerRestoresWhatOneLeft() async throws {
        let server = try TestServer { [bytes] request in
            let reply = Reply.file(bytes, etag: "\"v1\"", for: request)
            return request.visit == 1 ? reply.stalled(after: 100_000) : reply
        }
        let test = try TestManager()
        let heard = Recorder<Int64>()
        let first = test.manager.download(server.url("/f?x=1"), progress: { heard.append($0.receivedBytes) })
        try await heard.wait(until: { $0.last == 100_000 })
        first.cancel()
        #expect(try await first.ended().error?.code == .cancelled)
        try await eventually("the partial file is let go of") {
            try test.manager.storedDownloads().first?.isInUse == false
        }

        let stored = try #require(try test.manager.storedDownloads().first)
        #expect(stored.url == server.url("/f?x=1") && stored.receivedBytes == 100_000 && stored.totalBytes == 300_000)
        let other = try TestManager(folder: test.folder)
        let restored = other.manager.restore()
        #expect(restored.map(\.url) == [server.url("/f?x=1")])
        _ = try await restored[0].ended().get()
        #expect(TestBytes.difference(try test.bytes("f"), from: bytes) == nil)
        #expect(server.requests.map(\.range) == [nil, .rest(from: 100_000)])
        #expect(other.manager.restore().isEmpty)
    }

    @Test func aServerWithoutRangesThatAlwaysBreaksOffIsGivenUp() async throws {
        let server = try TestServer { [bytes] request in
            .bytes(["HTTP/1.1 200 OK", "Content-Length: 300000", "ETag: \"v1\""], bytes).cut(after: 100_000)
        }
        let test = try TestManager()
        let error = try await test.manager.download(server.url("/f")).ended().error
        #expect(error?.code == .connectionFailed && error?.keptPartialFile == true)
        // One that advanced, and three without progress after it.
        #expect(server.requests.count == 4)
    }

    @Test func aRangeThatIsOnlyAPartOfTheRestIsFollowedByAnother() async throws {
        let server = try TestServer { [bytes] request in
            guard let range = request.range else {
                return .file(bytes, etag: "\"v1\"", for: request).cut(after: 100_000)
            }
            let start = Int(range.dropFirst(6).dropLast()) ?? 0
            let end = min(start + 90_000, 300_000)
            return .bytes(
                ["HTTP/1.1 206 Partial Content", "ETag: \"v1\"", "Content-Range: bytes \(start)-\(end - 1)/300000"],
                Array(bytes[start..<end])
            )
        }
        let test = try TestManager()
        _ = try await test.manager.download(server.url("/f")).ended().get()
        #expect(TestBytes.difference(try test.bytes("f"), from: bytes) == nil)
        #expect(
            server.requests.compactMap(\.range) == [.rest(from: 100_000), .rest(from: 185_904), .rest(from: 271_808)]
        )
    }

    @Test func aPartialFileThatIsWholeIsProvenByItsEnd() async throws {
        let gate = try Gate()
        // Everything has come but the last chunk, which would say that it is everything.
        let server = try TestServer { [bytes] request in
            let reply = Reply.file(bytes, etag: "\"v1\"", for: request)
            return request.visit == 1
                ? reply.chunked(size: 100_000).gated(after: 300_000, gate).cut(after: 300_000) : reply
        }
        let test = try TestManager()
        let heard = Recorder<Int64>()
        let download = test.manager.download(server.url("/f"), progress: { heard.append($0.receivedBytes) })
        try await heard.wait(until: { $0.last == 300_000 })
        download.pause()
        gate.open()
        download.resume()
        _ = try await download.ended().get()
        #expect(TestBytes.difference(try test.bytes("f"), from: bytes) == nil)
        #expect(server.requests.map(\.range) == [nil, .rest(from: 300_000)])
        #expect(server.bytesSent == 304_096)
    }

    @Test func anEmptyFileIsAFile() async throws {
        let server = try TestServer { .file([UInt8](), for: $0) }
        let test = try TestManager()
        let download = test.manager.download(server.url("/f"))
        _ = try await download.ended().get()
        #expect(try test.bytes("f") == [] && download.progress.fractionCompleted == 1)
    }

    @Test func aFileOfUnknownLengthIsTakenAndFlagged() async throws {
        let server = try TestServer { [bytes] in .file(bytes, for: $0).withoutLength }
        let test = try TestManager()
        let download = test.manager.download(server.url("/f"))
        _ = try await download.ended().get()
        #expect(TestBytes.difference(try test.bytes("f"), from: bytes) == nil)
        #expect(download.remarks == [.lengthNotVerified])
        #expect(test.manager.isDownloaded(server.url("/f")))
    }

    @Test func chunksNeedNoLengthToBeVerified() async throws {
        let server = try TestServer { [bytes] in .file(bytes, for: $0).chunked() }
        let test = try TestManager()
        let download = test.manager.download(server.url("/f"))
        _ = try await download.ended().get()
        #expect(TestBytes.difference(try test.bytes("f"), from: bytes) == nil && download.remarks == [])
    }

    @Test(
        arguments: [
            "md5:900150983CD24FB0D6963F7D28E17F72", "sha1:a9993e364706816aba3e25717850c26c9cd0d89d",
            "sha256:ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad",
            "sha512:ddaf35a193617abacc417349ae20413112e6fa4e89a97ea20a9eeee64b55d39a"
                + "2192992a274fc1a836ba3c23a3feebbd454d4423643ce80e2a9ac94fa54ca49f",
        ]
    )
    func aChecksumIsVerified(text: String) async throws {
        let server = try TestServer { .file(Array("abc".utf8), for: $0) }
        let test = try TestManager()
        var request = DownloadRequest(server.url("/f"))
        let checksum = try Checksum(text)
        request.checksum = checksum
        _ = try await test.manager.download(request).ended().get()
        request = DownloadRequest(server.url("/g"))
        request.checksum = try Checksum(checksum.algorithm, String(repeating: "0", count: checksum.hexadecimal.count))
        let error = try await test.manager.download(request).ended().error
        #expect(error?.code == .checksumMismatch && error?.keptPartialFile == false)
        #expect(error?.message.contains(checksum.hexadecimal) == true)
        #expect(test.names == ["f"] && server.requests.map(\.path) == ["/f", "/g"])
    }

    @Test func aJoinedFileWithAnotherChecksumIsFetchedOnceMoreInOnePiece() async throws {
        let good = Array("abc".utf8)
        let server = try TestServer { request in
            // A changed file under the same tag: what the tag cannot tell, the checksum does.
            request.visit == 1
                ? .file(Array("xbc".utf8), etag: "\"v\"", for: request).cut(after: 1)
                : .file(good, etag: "\"v\"", for: request)
        }
        let test = try TestManager()
        var request = DownloadRequest(server.url("/f"))
        request.sha256 = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
        _ = try await test.manager.download(request).ended().get()
        #expect(try test.bytes("f") == good && server.requests.count == 3)
    }
}
