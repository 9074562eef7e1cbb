import Foundation
import Spate
import TestSupport
import Testing

/// Responses that are of another file though much about them is the same: rules 104 to 106, 108 and 111 of ResumptionRules.md.
@Suite(.takesTurns) struct OtherEntityTests {
    private static let size = 4 << 20
    private static let cut = size / 2
    private static let old = TestBytes.random(count: size)
    private static let new = TestBytes.random(count: size, seed: 2)
    private static let date = Date(timeIntervalSince1970: 1_700_000_000)

    private static func file(_ bytes: [UInt8], _ etag: String?) -> TestFile {
        TestFile(bytes, etag: etag, lastModified: date)
    }

    // MARK: Weak tags

    /// A part of the old file is there, and the server has another one with the same date and size.
    @Test(arguments: [ConnectionCount.automatic, .exactly(1), .exactly(4)], ["W/\"bbb\"", "\"bbb\""])
    func aPartUnderAnotherTagIsNotJoinedWhateverTheDate(connections: ConnectionCount, tag: String) async throws {
        let server = try TestServer { request in
            request.sequence == 1
                ? .file(Self.file(Self.old, "W/\"aaa\""), for: request).cut(after: Self.cut)
                : .file(Self.file(Self.new, tag), for: request)
        }
        let test = try TestManager { $0.connectionsPerDownload = connections }
        _ = try await test.manager.download(server.url("/f")).ended().get()
        #expect(TestBytes.difference(try test.bytes("f"), from: Self.new) == nil)
        #expect(server.requests.compactMap(\.ifRange).allSatisfy { $0 == tag }, "a date or a weak tag was sent")
    }

    /// Two back ends answer by turns.
    @Test(arguments: [ConnectionCount.automatic, .exactly(4)])
    func backEndsThatDifferAreNotMixed(connections: ConnectionCount) async throws {
        let server = try TestServer { request in
            let isFirst = request.sequence % 2 == 1
            let file = isFirst ? Self.file(Self.old, "W/\"aaa\"") : Self.file(Self.new, "W/\"bbb\"")
            let reply = Reply.file(file, for: request)
            return request.sequence < 4 ? reply.cut(after: 500_000) : reply
        }
        let test = try TestManager { $0.connectionsPerDownload = connections }
        // One of the two, or none of them.
        guard let file = try? await test.manager.download(server.url("/f")).ended().get() else { return }
        let bytes = try Array(Data(contentsOf: file))
        #expect(bytes == Self.old || bytes == Self.new)
    }

    // MARK: A digest

    /// The part does not repeat what the first response stated, and the bytes are wrong.
    @Test(arguments: [false, true], ["Repr-Digest", "Digest"])
    func aStatedDigestIsCheckedAfterResuming(inLaterProcess: Bool, field: String) async throws {
        let digest = "dEgc8xmmgGQQdrk/KVoKEBkZMKsqYgNnMmv4aAsC37o="
        let stated = field == "Digest" ? "SHA-256=\(digest)" : "sha-256=:\(digest):"
        let server = try TestServer { request in
            let reply = Reply.file(Self.file(Self.old, "\"v1\""), for: request)
            return request.sequence == 1 ? reply.addingField(field, stated).stalled(after: Self.cut) : reply
        }
        let first = try TestManager {
            $0.connectionsPerDownload = .exactly(1)
            $0.retry = .never
        }
        let download = first.manager.download(server.url("/f"))
        try await eventually("half is there") { download.progress.receivedBytes == Int64(Self.cut) }
        let result: Result<URL, DownloadError>
        if inLaterProcess {
            download.cancel()
            _ = try await download.ended()
            try await eventually("the partial file is closed") {
                try first.manager.storedDownloads().allSatisfy { !$0.isInUse }
            }
            let later = try TestManager(folder: first.folder) { $0.retry = .never }
            result = try await later.manager.download(server.url("/f")).ended()
        } else {
            download.pause()
            download.resume()
            result = try await download.ended()
        }
        #expect(result.error?.code == .checksumMismatch, "\(result)")
        #expect(result.error?.message.contains(field) == true && first.names.isEmpty)
    }

    // MARK: A page

    private static let page = "<html>Please sign in.</html>        "

    @Test func aPageInPlaceOfTheRestIsRetriedAndThePartStays() async throws {
        let server = try TestServer { request in
            request.sequence == 1
                ? .file(Self.file(Self.old, "\"v1\""), for: request).cut(after: Self.cut)
                : .status(200, fields: ["Content-Type": "text/html; charset=utf-8"], body: Self.page)
        }
        let test = try TestManager { $0.connectionsPerDownload = .exactly(1) }
        let download = test.manager.download(server.url("/f.bin"))
        let error = try #require(try await download.ended().error)
        #expect(error.code == .badResponse && error.keptPartialFile && error.isRetryable)
        #expect(server.requests.count > 2 && test.names == ["f.bin.part"])
        #expect(TestBytes.difference(try test.bytes("f.bin.part"), from: Self.old[..<Self.cut]) == nil)
        // Who replaces files may want it.
        var request = DownloadRequest(server.url("/f.bin"))
        request.replacesExistingFile = true
        let page = test.manager.download(request)
        _ = try await page.ended().get()
        #expect(try test.bytes("f.bin") == Array(Self.page.utf8) && page.remarks.contains(.webPage))
    }

    @Test(arguments: [("/f.html", false), ("/f.zip", true), ("/", false)])
    func aPageUnderAnotherNameIsRemarked(target: String, isRemarked: Bool) async throws {
        let server = try TestServer { _ in
            .status(200, fields: ["Content-Type": "text/html", "ETag": "\"v1\""], body: Self.page)
        }
        let test = try TestManager()
        let download = test.manager.download(server.url(target))
        _ = try await download.ended().get()
        #expect(download.remarks.contains(.webPage) == isRemarked)
    }

    // MARK: Ranges that are shifted

    /// Under the right tag and Content-Range, each part begins a byte later than it says.
    @Test(arguments: [ConnectionCount.automatic, .exactly(1), .exactly(4)])
    func aShiftedPartIsNotJoined(connections: ConnectionCount) async throws {
        let shifted = Array(Self.old[1...] + Self.old[..<1])
        let server = try TestServer { request in
            let bytes = request.range == nil ? Self.old : shifted
            let reply = Reply.file(Self.file(bytes, "\"v1\""), for: request)
            return request.sequence == 1 ? reply.cut(after: Self.cut) : reply
        }
        let test = try TestManager { $0.connectionsPerDownload = connections }
        _ = try await test.manager.download(server.url("/f")).ended().get()
        #expect(TestBytes.difference(try test.bytes("f"), from: Self.old) == nil)
    }
}
