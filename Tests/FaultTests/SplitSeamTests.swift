import Foundation
import Locking
import Spate
import TestSupport
import Testing

/// A server whose ranges are of other places than it says (ResumptionRules.md S33).
@Suite(.mostlyWaits) struct SplitSeamTests {
    private static let bytes = TestBytes.random(count: 16 << 20)
    private static let bytesPerSecond = 8 << 20

    /// The right answer, but what a range brings begins a byte later than it says.
    private static func shifted(_ bytes: [UInt8], for request: ReceivedRequest) -> Reply {
        let bytes = request.range == nil ? bytes : Array(bytes[1...] + bytes[..<1])
        return .file(bytes, etag: "\"v1\"", for: request)
    }

    @Test(arguments: [ConnectionCount.automatic, .exactly(2), .exactly(4)])
    func rangesThatAreShiftedAreNotJoined(connections: ConnectionCount) async throws {
        let rates = ConnectionRates(bytesPerSecond: Self.bytesPerSecond)
        let server = try TestServer { Self.shifted(Self.bytes, for: $0).paced(by: rates, for: $0) }
        let test = try TestManager { $0.connectionsPerDownload = connections }
        var count = 0
        // In automatic mode a busy machine may bring a file before anybody helps.
        while count < 10, !server.requests.contains(where: \.isForGap) {
            count += 1
            _ = try await test.manager.download(server.url("/\(count)")).ended().get()
            #expect(TestBytes.difference(try test.bytes("\(count)"), from: Self.bytes) == nil)
        }
        let requests = server.requests
        #expect(requests.contains { $0.isForGap }, "nobody helped")
        // One more for the whole, alone, and no helpers for another file.
        #expect(requests.last?.range == nil && requests.count { $0.range == nil } == count + 1)
        _ = try await test.manager.download(server.url("/another")).ended().get()
        #expect(server.requests.count == requests.count + 1)
    }

    /// A file with gaps is there, and what fills them is shifted.
    @Test(arguments: [ConnectionCount.automatic, .exactly(1), .exactly(4)])
    func gapsAreNotFilledWithWhatIsShifted(connections: ConnectionCount) async throws {
        let gate = try Gate()
        let isShifted = Locked(false)
        let story = try SplitStory(bytesPerSecond: 4 << 20) { request in
            isShifted.withLock { $0 }
                ? Self.shifted(SplitStory.bytes, for: request)
                : .file(SplitStory.file, for: request).gated(after: 600_000, gate)
        }
        let download = story.test.manager.download(story.server.url("/f"))
        try await gate.reached(times: SplitStory.connections)
        try await eventually("all have brought some") {
            (download.progress.receivedBytes) >= Int64(SplitStory.connections * 500_000)
        }
        download.cancel()
        _ = try await download.ended()
        try await eventually("the partial file is closed") {
            try story.test.manager.storedDownloads().allSatisfy { !$0.isInUse }
        }
        #expect(try SplitStory.filled(in: story.test.folder.path("f.part")).count == SplitStory.connections)
        gate.open()
        isShifted.withLock { $0 = true }
        var request = DownloadRequest(story.server.url("/f"))
        request.connections = connections
        _ = try await story.test.manager.download(request).ended().get()
        #expect(SplitStory.version(of: try story.test.bytes("f")) == 1)
    }

    /// The same gaps, filled by a right server, cost 4 KiB each.
    @Test(arguments: [1, 4]) func gapsAreAskedForWithWhatIsCompared(connections: Int) async throws {
        let gate = try Gate()
        let story = try SplitStory(bytesPerSecond: 4 << 20) {
            .file(SplitStory.file, for: $0).gated(after: 600_000, gate)
        }
        let download = story.test.manager.download(story.server.url("/f"))
        try await gate.reached(times: SplitStory.connections)
        download.pause()
        try await eventually("the end of all connections") { story.server.openConnections == 0 }
        let filled = try SplitStory.filled(in: story.test.folder.path("f.part"))
        let before = story.server.requests.count
        gate.open()
        download.resume()
        _ = try await download.ended().get()
        #expect(SplitStory.version(of: try story.test.bytes("f")) == 1)
        let asked = story.server.requests.dropFirst(before).map(\.asked)
        // Some request reads each border from both sides.
        for range in filled where range.lowerBound > 0 {
            let border = range.lowerBound
            #expect(
                asked.contains { $0.lowerBound < border && $0.upperBound >= border + 4_096 },
                "\(border) in \(asked)"
            )
        }
    }
}
