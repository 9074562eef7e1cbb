import Foundation
import SpateTestSupport
import Testing

@testable import Spate

/// Whatever is done to downloads: whenever none changes, the counters are the sums over them.
@Suite(.mostlyWaits) struct ProgressOfAllPropertyTests {
    /// A file takes an eighth of a second, and is written in four blocks.
    private let rates = ConnectionRates(bytesPerSecond: 8_000_000)

    private static func reply(_ request: ReceivedRequest, _ rates: ConnectionRates, _ visit: Int) -> Reply {
        let bytes = TestBytes.random(count: 1_000_000)
        switch request.path.dropFirst().first {
        case "h": return .silence
        case "s": return .file([1, 2, 3], for: request)
        case "n": return .status(404)
        // Each retry goes on where the one before broke off.
        case "c":
            return Reply.file(bytes, etag: "\"a\"", for: request).paced(by: rates, for: request).cut(after: 600_000)
        // Each response is another file: nothing goes on.
        case "r": return Reply.file(bytes, etag: "\"\(visit)\"", for: request).paced(by: rates, for: request)
        case "u": return Reply.file(bytes, for: request).paced(by: rates, for: request).chunked()
        default: return Reply.file(bytes, etag: "\"a\"", for: request).paced(by: rates, for: request)
        }
    }

    @Test(arguments: [1, 2, 3] as [UInt64])
    func countersEqualTheSums(seed: UInt64) async throws {
        var random = SeededRandom(seed: seed)
        let visits = Watched(0)
        let server = try TestServer { [rates] request in
            let visit = visits.update { count in
                count += 1
                return count
            }
            return Self.reply(request, rates, visit)
        }
        let test = try TestManager { $0.maxConcurrentDownloads = 4 }
        let manager = test.manager
        for round in 0..<8 {
            // All are paused or have ended: the next is the first of others. It keeps the manager busy in this round.
            var known = manager.downloads
            let first = manager.download(server.url("/h\(round)"))
            if random.below(2) == 0 { manager.resumeAll() }
            for _ in 0..<12 {
                let some = known.isEmpty ? nil : known[random.below(known.count)]
                switch random.below(8) {
                case 0...3:
                    let kind = ["s", "n", "c", "r", "u", "f"][random.below(6)]
                    var request = DownloadRequest(server.url("/\(kind)\(random.below(3))"))
                    if kind == "f" { request.expectedBytes = 1_000_000 }
                    if kind == "n" { request.mirrors = [server.url("/f-mirror")] }
                    let download = manager.download(request)
                    if !known.contains(where: { $0 === download }) { known.append(download) }
                case 4: some?.pause()
                case 5: some?.resume()
                case 6: some?.cancel()
                default: try? some?.delete()
                }
                try await Task.sleep(for: .milliseconds(random.below(25)))
                let progress = manager.progress
                #expect(progress.finishedCount + progress.failedCount < progress.totalCount)
            }
            manager.pauseAll()
            await manager.waitUntilIdle()
            expectSums(manager, of: known + [first], "seed \(seed), round \(round)")
            first.cancel()
        }
    }

    private func expectSums(_ manager: DownloadManager, of known: [Download], _ comment: Comment) {
        let finished = known.filter { if case .finished = $0.state { true } else { false } }
        let failed = known.filter { if case .failed = $0.state { true } else { false } }
        let counted = finished + manager.downloads
        let totals = counted.map { $0.progress.totalBytes ?? $0.request.expectedBytes }
        let expected = DownloadManagerProgress(
            finishedCount: finished.count,
            failedCount: failed.count,
            totalCount: counted.count + failed.count,
            receivedBytes: counted.reduce(0) { $0 + $1.progress.receivedBytes },
            totalBytes: totals.contains(nil) ? nil : totals.reduce(0) { $0 + ($1 ?? 0) }
        )
        #expect(manager.progress == expected, comment)
    }
}
