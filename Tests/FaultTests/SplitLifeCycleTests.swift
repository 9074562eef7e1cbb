import Foundation
import Spate
import TestSupport
import Testing

/// Pause, cancel and delete with four connections.
@Suite(.mostlyWaits) struct SplitLifeCycleTests {
    enum Call: CaseIterable {
        case pause, cancel, delete
    }

    private static let bytesPerSecond = 1 << 20
    private static let block = 262_144

    /// A download whose four connections all are in the middle of their bodies, where the server holds them.
    private func underWay() async throws -> (story: SplitStory, download: Download, gate: Gate) {
        let gate = try Gate()
        let story = try SplitStory(bytesPerSecond: Self.bytesPerSecond) {
            .file(SplitStory.file, for: $0).gated(after: 400_000, gate)
        }
        let download = story.test.manager.download(story.server.url("/f"))
        try await gate.reached(times: SplitStory.connections)
        #expect(story.server.openConnections == SplitStory.connections)
        return (story, download, gate)
    }

    @Test(arguments: Call.allCases) func allConnectionsEndWithin100Milliseconds(call: Call) async throws {
        let (story, download, gate) = try await underWay()
        defer { gate.open() }
        let (manager, url) = (story.test.manager, story.server.url("/f"))
        let count = await story.ticksToTheEnd {
            switch call {
            case .pause: download.pause()
            case .cancel: download.cancel()
            case .delete: try? manager.delete(url)
            }
        }
        #expect(count <= SplitStory.promptTicks)
        #expect(story.test.names == (call == .delete ? [] : ["f.part"]))
    }

    @Test func aPauseCostsAtMostABlockOfEachConnection() async throws {
        let (story, download, gate) = try await underWay()
        download.pause()
        try await eventually("the end of all connections") { story.server.openConnections == 0 }
        let requests = story.server.requests.count
        gate.open()
        download.resume()
        _ = try await download.ended().get()
        #expect(SplitStory.version(of: try story.test.bytes("f")) == 1)
        // The server sent the size once, and again what a connection had not written when it was paused: the block that
        // it was gathering, what lay in the two sockets' buffers, which at this rate is a few pieces of 10 ms, and one
        // piece that the server counted and could not send.
        let lost = story.server.bytesSent - SplitStory.bytes.count
        let atMost = SplitStory.connections * (Self.block + 6 * Self.bytesPerSecond / 100)
        #expect(lost <= atMost, "\(lost) bytes were sent twice, at most \(atMost) may be")
        #expect(story.server.requests.dropFirst(requests).allSatisfy { $0.range != nil })
    }
}
