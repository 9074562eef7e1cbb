import Foundation
import Spate
import TestSupport
import Testing

/// The file changes while it is fetched over four connections (ResumptionRules.md S12 and S15).
@Suite(.mostlyWaits) struct SplitChangeTests {
    struct Change: CustomTestStringConvertible {
        /// The requests that still see the old version.
        let count: Int
        /// Whether a part is sent only of the version that is asked for; if not, the new one's part is sent.
        let honoursIfRange: Bool
        /// Whether the first answer breaks off, so that nobody can have the rest of the old version.
        let cutsFirst: Bool

        var testDescription: String {
            "S15 after \(count), \(honoursIfRange ? "the whole" : "a part") comes"
                + (cutsFirst ? ", and the first answer breaks off" : "")
        }
    }

    static let changes = [1, 2, 3, 4, 6].flatMap { count in
        [true, false].flatMap { honours in
            [true, false].map { Change(count: count, honoursIfRange: honours, cutsFirst: $0) }
        }
    }

    @Test(arguments: changes) func theFileIsOneVersion(change: Change) async throws {
        let newer = TestFile(SplitStory.newer, etag: "\"v2\"", lastModified: Date(timeIntervalSince1970: 1_700_000_001))
        let story = try SplitStory { request in
            let old = Reply.file(SplitStory.file, for: request)
            if request.sequence == 1, change.cutsFirst { return old.cut(after: 2_000_000) }
            guard request.sequence > change.count else { return old }
            if change.honoursIfRange || request.range == nil { return .file(newer, for: request) }
            let part = request.asked
            return .bytes(
                [
                    "HTTP/1.1 206 Partial Content", "ETag: \"v2\"", "Content-Length: \(part.count)",
                    "Content-Range: bytes \(part.lowerBound)-\(part.upperBound - 1)/\(SplitStory.newer.count)",
                ],
                Array(SplitStory.newer[part])
            )
        }
        _ = try await story.end().get()
        // The first connection may have stopped at a part that was there already, before anybody saw the change. If it read
        // on, it has all of the old version.
        let first = try #require(story.server.requests.first)
        let hasReadAll = story.server.bytesSent(for: first) >= SplitStory.bytes.count
        if hasReadAll { #expect(SplitStory.version(of: try story.test.bytes("f")) == 1) }
    }

    enum Loss: CaseIterable {
        /// What was found is of no use, nor is what came in its place.
        case secondRestart
        /// Nothing says that a part belongs to the bytes behind the gap.
        case bytesBehindAGap
    }

    /// Bytes that have come are dropped in the next attempt: progress never falls within one.
    @Test(arguments: Loss.allCases) func anAttemptDoesNotDropWhatItHasBrought(loss: Loss) async throws {
        let story = try SplitStory("\(loss)", { $0.connectionsPerDownload = .exactly(2) }) { request in
            let right = Reply.file(SplitStory.file, for: request)
            switch (loss, request.sequence) {
            case (.secondRestart, 1): return right.removingField("Accept-Ranges").cut(after: 6_000_000)
            case (.secondRestart, 2): return .status(416)
            case (.secondRestart, 4): return right.cut(after: 500_000)
            case (.secondRestart, 5...) where request.range != nil: return .status(400)
            case (.bytesBehindAGap, 1): return right.cut(after: 1_000_000)
            case (.bytesBehindAGap, 3): return .status(416)
            case (.bytesBehindAGap, 4...): return right.removingField("ETag").removingField("Last-Modified")
            default: return right
            }
        }
        _ = try await story.end().get()
        let ranges = story.server.requests.map { $0.range ?? "all" }
        switch loss {
        case .secondRestart: #expect(ranges.prefix(3) == ["all", "bytes=5995904-", "all"], "\(ranges)")
        case .bytesBehindAGap: #expect(ranges.count > 4 && ranges.dropFirst().allSatisfy { $0 != "all" }, "\(ranges)")
        }
    }
}
