import Foundation
import SpateTestSupport
import Testing

@testable import Spate

/// Two requests for one URL, the second before the first has ended.
@Suite(.takesTurns) struct ConflictTests {
    private let test: SilentManager

    init() throws {
        test = try SilentManager(maxConcurrentDownloads: 1)
        test.transport.letGo()
    }

    private typealias Change = @Sendable (inout DownloadRequest) -> Void

    private func request(_ change: Change = { _ in }) -> DownloadRequest {
        var request = DownloadRequest(test.url("f"))
        change(&request)
        return request
    }

    private static func withLogin(_ login: String) -> URL {
        URL(string: "http://\(login)@host.test/f") ?? URL(fileURLWithPath: "/")
    }

    private static let secure = URL(string: "https://host.test/f") ?? URL(fileURLWithPath: "/")

    private static let different: [(words: String, change: Change)] = [
        ("user or password", { $0.url = withLogin("ann:hush") }),
        ("header Authorization", { $0.headers = ["Authorization": "hush"] }),
        ("header A, header B", { $0.headers = ["b": "2", "A": "1", "x-SAME": "same"] }),
        (
            "client certificate",
            { ($0.url, $0.clientCertificate) = (secure, ClientCertificate(file: URL(fileURLWithPath: "/hush"))) }
        ),
        ("private headers", { $0.privateHeaders = ["X-One"] }),
        ("file name", { $0.fileName = "other" }),
        // Named, even as the URL names it: that is this name or none.
        ("file name", { $0.fileName = "f" }),
        ("folder", { $0.directory = URL(fileURLWithPath: "/elsewhere", isDirectory: true) }),
        ("checksum", { $0.sha256 = String(repeating: "a", count: 64) }),
        ("checksum", { $0.checksum = Checksum(.md5, digest: [UInt8](repeating: 0xAA, count: 16)) }),
        ("checksum", { $0.metalink = try? PiecedFile.metalink([$0.url], sum: false) }),
        ("expected size", { $0.expectedBytes = 1 }),
        ("largest size", { $0.maximumBytes = 1 }),
        ("check for an update", { $0.checksForUpdate = true }),
        ("insecure redirects", { $0.allowsInsecureRedirects = true }),
        (
            "header Cookie, file name, largest size",
            {
                ($0.headers, $0.fileName, $0.maximumBytes) = (["Cookie": "hush"], "other", 1)
            }
        ),
    ]

    @Test(arguments: different.indices) func aRequestThatDiffersIsRefusedInEitherOrder(index: Int) throws {
        let (words, change) = Self.different[index]
        let base: Change = {
            if words == "header A, header B" { $0.headers = ["B": "1", "X-Same": "same"] }
            if words == "client certificate" { $0.url = Self.secure }
        }
        // It has the only slot, so that no attempt can end the first one before the second comes.
        let other = test.manager.download(test.url("other"))
        defer { other.cancel() }
        for changes in [[base, change], [change, base]] {
            let first = test.manager.download(request(changes[0]))
            defer { first.cancel() }
            let second = test.manager.download(request(changes[1]))
            guard case .failed(let error) = second.state else {
                Issue.record("\(words): not refused but \(second.state)")
                continue
            }
            #expect(error.code == .conflict && error.message.contains("differs in: "), "\(error)")
            #expect(error.message.lowercased().contains(words.lowercased()), "\(words): \(error)")
            #expect(!error.message.contains("hush") && !error.isRetryable && !error.keptPartialFile)
            #expect(test.manager.downloads.count == 2 && test.manager[first.url] === first)
        }
    }

    /// The second joins the first.
    private static let equal: [(first: Change, second: Change)] = [
        ({ _ in }, { _ in }), ({ _ in }, { $0.priority = .veryHigh }), ({ _ in }, { $0.connections = .exactly(2) }),
        ({ _ in }, { $0.skipsExistingFile = true }), ({ $0.replacesExistingFile = true }, { _ in }),
        ({ _ in }, { $0.clientCertificate = ClientCertificate(file: URL(fileURLWithPath: "/only-for-https")) }),
        ({ $0.keepsServerTime = true }, { _ in }), ({ _ in }, { $0.keepsServerTime = false }),
        ({ $0.usesServerMetalink = true }, { _ in }),
        ({ _ in }, { $0.url = URL(string: "HTTP://HOST.test:80/f#part") ?? $0.url }),
        ({ $0.headers = ["X-One": "1"] }, { $0.headers = ["x-one": "1"] }),
        ({ $0.privateHeaders = ["X-One"] }, { $0.privateHeaders = ["x-one"] }),
        (
            { $0.sha256 = String(repeating: "a", count: 64) },
            { $0.checksum = try? Checksum("SHA256:" + String(repeating: "A", count: 64)) }
        ),
    ]

    @Test(arguments: equal.indices) func aRequestThatIsEqualJoinsAndLetsAPausedDownloadGoOn(index: Int) {
        let first = test.manager.download(request(Self.equal[index].first))
        first.pause()
        #expect(test.manager.download(request(Self.equal[index].second)) === first)
        #expect([.waitsForSlot, .running].contains(Standing(first.state)))
    }

    /// What the second would lose by joining, and the first would not.
    private static let losses: [(words: String, first: Change, second: Change)] = [
        ("replacing of files", { _ in }, { $0.replacesExistingFile = true }),
        ("skipping of existing files", { $0.skipsExistingFile = true }, { _ in }),
        ("the server's Metalink", { _ in }, { $0.usesServerMetalink = true }),
        ("the server's time", { _ in }, { $0.keepsServerTime = true }),
        ("the server's time", { $0.keepsServerTime = true }, { $0.keepsServerTime = false }),
    ]

    @Test(arguments: losses.indices) func aRequestThatWouldLoseItsWishIsRefused(index: Int) {
        let (words, change, other) = Self.losses[index]
        let first = test.manager.download(request(change))
        defer { first.cancel() }
        let second = test.manager.download(request(other))
        #expect(second.error?.code == .conflict && second.error?.message.contains("differs in: \(words).") == true)
    }

    /// A plain download of the URL would end with the damaged file.
    @Test func aRepairDoesNotJoinAPlainDownload() {
        let first = test.manager.download(request { $0.sha256 = String(repeating: "a", count: 64) })
        for isPaused in [false, true] {
            if isPaused { first.pause() }
            let repair = test.manager.repair(request { $0.sha256 = String(repeating: "a", count: 64) })
            #expect(
                repair.error?.code == .conflict
                    && repair.error?.message.contains("differs in: repair of the file.") == true
            )
        }
        first.cancel()
        let repair = test.manager.repair(request())
        #expect(test.manager.repair(request()) === repair)
    }

    @Test func aLimitOfTheRateCountsForBoth() {
        let first = test.manager.download(request())
        #expect(test.manager.download(request { $0.maxBytesPerSecond = 1_000 }) === first)
        #expect(first.maxBytesPerSecond == 1_000)
        #expect(test.manager.download(request()) === first && first.maxBytesPerSecond == 1_000)
    }

    @Test func whoIsRefusedIsToldAsOfEveryFailureAndMayComeAgainLater() async throws {
        let manager = test.manager
        let first = manager.download(test.url("f"))
        let named = request { $0.fileName = "other" }
        let heard = Recorder<DownloadError.Code?>()
        let events = manager.events
        let second = manager.download(named, completion: { heard.append($0.error?.code) })
        try await withDeadline {
            for await (download, event) in events where download === second {
                guard case .state = event else { continue }
                heard.append(download.error?.code)
                break
            }
        }
        let results = manager.results(of: [named, named])
        try await withDeadline { for await (_, result) in results { heard.append(result.error?.code) } }
        #expect(try await heard.wait(forCount: 4) == [.conflict, .conflict, .conflict, .conflict])
        #expect(!first.state.isTerminal && manager.downloads.count == 1)

        first.cancel()
        let third = manager.download(named)
        #expect(!third.state.isTerminal && manager[named.url] === third)
    }

    // MARK: What is known of the file

    @Test func aLargestSizeThatTheFileIsKnownToHaveIsNoDifference() async throws {
        let gate = try Gate()
        let server = try TestServer { .file(TestBytes.random(count: 3_000), for: $0).gated(after: 1_000, gate) }
        let test = try TestManager()
        let first = test.manager.download(server.url("/f"))
        try await eventually("the size is known") { first.progress.totalBytes == 3_000 }
        var request = DownloadRequest(server.url("/f"))
        request.maximumBytes = 2_999
        #expect(test.manager.download(request).error?.code == .conflict)
        request.maximumBytes = 3_000
        #expect(test.manager.download(request) === first)
        gate.open()
        _ = try await first.ended().get()
    }

    /// It is whole, and whoever does not ask for an update need not wait for the answer.
    @Test func aFinishedFileAnswersWhileAnUpdateIsAskedFor() async throws {
        let gate = try Gate()
        let server = try TestServer { request in
            let reply = Reply.file(TestFile("abc", etag: "\"v1\""), for: request)
            return request.visit == 1 ? reply : reply.heldBack(by: gate)
        }
        let test = try TestManager()
        _ = try await test.manager.download(server.url("/f")).ended().get()
        var update = DownloadRequest(server.url("/f"))
        update.checksForUpdate = true
        let asking = test.manager.download(update)
        try await server.waitForRequests(2)
        let answer = test.manager.download(server.url("/f"))
        #expect(answer !== asking && answer.state.isFinished && !asking.state.isTerminal)
        #expect(test.manager.downloads.map(\.id) == [asking.id])
        gate.open()
        _ = try await asking.ended().get()
        #expect(asking.update == .unchanged)
    }

    // MARK: Restored downloads

    /// A folder with a partial file of 1,000 bytes, and a server that answers nobody without a login.
    ///
    /// - Parameter gate: holds back the answer to whoever has one.
    private func left(heldBackBy gate: Gate) async throws -> (server: TestServer, test: TestManager, bytes: [UInt8]) {
        let bytes = TestBytes.random(count: 3_000)
        let server = try TestServer { request in
            let reply = Reply.file(bytes, etag: "\"v1\"", for: request)
            if request.visit == 1 { return reply.stalled(after: 1_000) }
            return request.fields["Authorization"] == nil ? .silence : reply.heldBack(by: gate)
        }
        let test = try TestManager()
        let download = test.manager.download(server.url("/f"))
        try await eventually("some bytes") { download.progress.receivedBytes == 1_000 }
        download.cancel()
        try await eventually("it is let go of") { try test.manager.storedDownloads().first?.isInUse == false }
        return (server, test, bytes)
    }

    @Test(arguments: [false, true], ["f", nil])
    func aRestoredDownloadTakesTheHeadersOfTheFirstThatAsksForTheSame(isLogin: Bool, name: String?) async throws {
        let gate = try Gate()
        let (server, test, bytes) = try await left(heldBackBy: gate)
        let restored = try #require(test.manager.restore().first)
        // It runs, without an answer: what it sent lacks the login.
        try await server.waitForRequests(2)
        var request = DownloadRequest(server.url("/f", authority: isLogin ? "ann:hush@127.0.0.1" : "127.0.0.1"))
        request.fileName = name
        if !isLogin { request.headers = ["Authorization": "Bearer hush"] }
        #expect(restored.request.url == restored.url && restored.request.headers.isEmpty)
        #expect(test.manager.download(request) === restored)
        #expect(restored.request.url == request.url && restored.request.headers == request.headers)
        // No other headers, and nothing else that differs.
        for other in [DownloadRequest(server.url("/f")), DownloadRequest(request.url, fileName: "other")] {
            #expect(test.manager.download(other).error?.code == .conflict)
        }
        #expect(test.manager.restore().map(\.id) == [restored.id])
        gate.open()
        _ = try await restored.ended().get()
        #expect(try test.bytes("f") == bytes)
        #expect(server.requests.last?.range == .rest(from: 1_000))
        #expect(server.requests.last?.fields["Authorization"]?.hasPrefix(isLogin ? "Basic " : "Bearer ") == true)
    }

    @Test(arguments: [false, true]) func restoringReturnsWhatIsKnownAsItIs(isPaused: Bool) async throws {
        let (server, test, _) = try await left(heldBackBy: try Gate())
        var request = DownloadRequest(server.url("/f"))
        request.headers = ["X-One": "1"]
        let download = test.manager.download(request)
        // Its partial file is in use now, as it is for a moment after a pause.
        try await server.waitForRequests(2)
        if isPaused { download.pause() }
        let restored = test.manager.restore()
        #expect(restored.map(\.id) == [download.id] && download.state.isPaused == isPaused)
        #expect(download.state.isRunning == !isPaused && test.manager.downloads.count == 1)
    }
}
