import Foundation
import Spate
import SpateLocking
import SpateTestSupport
import Testing

/// One file over four connections (ResumptionRules.md S11 to S37). What each answer and each end leads to is in
/// PartDecisionTests, FetchMachineTests and SegmentPlanTests, and the simulation plays them all.
@Suite(.mostlyWaits) struct SplitTests {
    private static let newer = SplitStory.newer

    @Test func fourConnectionsBringTheFileInPartsThatDoNotOverlap() async throws {
        let gate = try Gate()
        let story = try SplitStory(bytesPerSecond: 1 << 20) {
            .file(SplitStory.file, for: $0).gated(after: 400_000, gate)
        }
        async let end = story.end {
            ($0.headers, $0.privateHeaders) = (["Authorization": "Bearer x", "X-Mine": "m"], ["x-mine"])
        }
        try await gate.reached(times: SplitStory.connections)
        #expect(story.server.mostAtOnce == SplitStory.connections)
        gate.open()
        _ = try await end.get()
        let requests = story.server.requests
        #expect(requests.first?.range == nil)
        #expect(requests.dropFirst().allSatisfy { $0.isForGap && $0.ifRange == "\"v1\"" })
        #expect(requests.allSatisfy { $0.fields["Authorization"] == "Bearer x" && $0.fields["X-Mine"] == "m" })
        let parts = requests.dropFirst().prefix(3).map(\.asked).sorted { $0.lowerBound < $1.lowerBound }
        // But for the 4 KiB that are compared.
        #expect(zip(parts, parts.dropFirst()).allSatisfy { $0.upperBound - $1.lowerBound == 4_096 })
        // What a connection is sent beyond the end that its part got later is in vain.
        #expect(story.server.bytesSent <= SplitStory.bytes.count + requests.count << 18)
    }

    // MARK: Wrong answers

    /// A wrong answer to a request for a part of `SplitStory.file`. Where it bears bytes that must not be written, they are
    /// another version's.
    struct Fault: Sendable, CustomTestStringConvertible {
        let testDescription: String
        /// Whether nothing more comes until the client gives up.
        let stalls: Bool
        let bend: @Sendable (_ asked: Range<Int>, _ right: Reply) -> Reply

        init(
            _ name: String,
            stalls: Bool = false,
            _ bend: @escaping @Sendable (_ asked: Range<Int>, _ right: Reply) -> Reply
        ) {
            (testDescription, self.stalls, self.bend) = (name, stalls, bend)
        }
    }

    private static func part(_ range: Range<Int>, _ tag: String, _ body: ArraySlice<UInt8>) -> Reply {
        let place = "Content-Range: bytes \(range.lowerBound)-\(range.upperBound - 1)/\(SplitStory.bytes.count)"
        let length = "Content-Length: \(body.count)"
        return .bytes(["HTTP/1.1 206 Partial Content", "ETag: \(tag)", place, length], Array(body))
    }

    static let faults = [
        Fault("S12: the whole of another version") { _, _ in .status(200, fields: ["ETag": "\"v2\""], body: newer) },
        Fault("S13: 404") { _, _ in .status(404, body: "no\n") },
        Fault("S14: 429") { _, _ in .status(429, fields: ["Retry-After": "1"]) },
        Fault("S11: a part that begins later") { asked, _ in
            let later = min(asked.lowerBound + 65_536, asked.upperBound - 1)..<asked.upperBound
            return part(later, "\"v1\"", SplitStory.bytes[later])
        },
        Fault("S15: another tag") { asked, _ in part(asked, "\"v2\"", newer[asked]) },
        Fault("S16: a body that is too long") { asked, right in
            part(asked, "\"v1\"", SplitStory.bytes[asked] + newer).chunked()
        },
        Fault("S16: a cut in the body") { _, right in right.cut(after: 300_000) },
        Fault("S16: an answer that is not HTTP") { _, _ in .raw("SSH-2.0-Server\r\n") },
        Fault("S16: silence in the body", stalls: true) { _, right in right.stalled(after: 300_000) },
    ]

    @Test(arguments: faults) func whateverHelpersMeetTheFileArrives(fault: Fault) async throws {
        let (story, result) = try await end(under: fault) { $0.isForGap }
        _ = try result.get()
        #expect(SplitStory.version(of: try story.test.bytes("f")) == 1)
        #expect(story.server.requests.allSatisfy { !$0.isForGap || $0.ifRange == "\"v1\"" })
    }

    @Test(arguments: faults) func whateverAllMeetAfterTheFirstAnswerNothingIsMixed(fault: Fault) async throws {
        _ = try await end(under: fault, cuttingFirst: true) { $0.sequence > 1 }
    }

    private func end(
        under fault: Fault,
        cuttingFirst: Bool = false,
        where isMet: @escaping @Sendable (ReceivedRequest) -> Bool
    ) async throws -> (story: SplitStory, result: Result<URL, DownloadError>) {
        let met = Locked<Set<Int>>([])
        // Slow until somebody has met it: else the first connection may have all before a busy machine starts a helper.
        let story = try SplitStory(bytesPerSecond: met.withLock { $0.isEmpty } ? 1 << 20 : SplitStory.bytesPerSecond) {
            if fault.stalls { $0.stallTimeout = .milliseconds(400) }
        } answering: { request in
            let right = Reply.file(SplitStory.file, for: request)
            guard isMet(request) else {
                return cuttingFirst && request.sequence == 1 ? right.cut(after: 1_500_000) : right
            }
            met.withLock { _ = $0.insert(request.sequence) }
            return fault.bend(request.asked, right)
        }
        // A request that stalls brings something, but how much depends on how busy the machine is.
        let result = try await story.end(wasFutile: { request in
            !fault.stalls && met.withLock { $0.contains(request.sequence) }
        })
        #expect(met.withLock { !$0.isEmpty }, "nobody met the fault")
        return (story, result)
    }

    // MARK: Seams

    /// What a range brings begins a byte later than it says.
    @Test func rangesThatAreShiftedAreNotJoined() async throws {
        let shifted = TestFile(Array(SplitStory.bytes[1...] + SplitStory.bytes[..<1]), etag: "\"v1\"")
        let story = try SplitStory(bytesPerSecond: 4 << 20) {
            .file($0.range == nil ? TestFile(SplitStory.bytes, etag: "\"v1\"") : shifted, for: $0)
        }
        _ = try await story.end().get()
        #expect(SplitStory.version(of: try story.test.bytes("f")) == 1)
        let requests = story.server.requests
        // One more for the whole, alone, and no helpers for another file.
        #expect(requests.contains { $0.isForGap } && requests.last?.range == nil)
        #expect(requests.count { $0.range == nil } == 2)
        _ = try await story.test.manager.download(story.server.url("/another")).ended().get()
        #expect(story.server.requests.count == requests.count + 1)
    }

    // MARK: Ends

    /// The most ticks that ending all connections may take. A sanitizer makes everything several times slower.
    private static let promptTicks = Sanitizer.isPresent ? 500 : 100

    enum Call: CaseIterable {
        case pause, cancel, delete
    }

    @Test(arguments: Call.allCases) func allConnectionsEndWithin100Milliseconds(call: Call) async throws {
        let gate = try Gate()
        defer { gate.open() }
        let story = try SplitStory(bytesPerSecond: 1 << 20) {
            .file(SplitStory.file, for: $0).gated(after: 400_000, gate)
        }
        let (server, manager, url) = (story.server, story.test.manager, story.server.url("/f"))
        let download = manager.download(url)
        try await gate.reached(times: SplitStory.connections)
        #expect(server.openConnections == SplitStory.connections)
        let count = await ticks(until: { server.openConnections == 0 }) {
            switch call {
            case .pause: download.pause()
            case .cancel: download.cancel()
            case .delete: try? manager.delete(url)
            }
        }
        #expect(count <= Self.promptTicks)
        #expect(story.test.names == (call == .delete ? [] : ["f.part"]))
    }

    @Test(.enabled(if: TemporaryMount.isPossible, "mounting a small file system needs root"))
    func aDiskThatFillsUpEndsAllWithOneErrorAndKeepsWhatIsFilled() async throws {
        // On this file system nothing is reserved, so that a write is what fails.
        let (mount, gate, block) = (try TemporaryMount(.tmpfs(bytes: 8 << 20)), try Gate(), 262_144)
        let story = try SplitStory {
            $0.directory = URL(filePath: mount.path)
        } answering: {
            .file(SplitStory.file, for: $0).gated(after: 400_000, gate)
        }
        let (received, ends) = (Recorder<Int64>(), Recorder<DownloadError.Code?>())
        let download = story.test.manager.download(
            story.server.url("/f"),
            progress: { received.append($0.receivedBytes) },
            completion: { ends.append($0.error?.code) }
        )
        try await gate.reached(times: SplitStory.connections)
        let written = Int64(SplitStory.connections * block)
        try await received.wait(until: { $0.contains { $0 >= written } })
        try Self.fill(mount.path("filler"))
        gate.open()
        let error = try #require(try await download.ended().error)
        #expect(error.code == .diskFull && error.keptPartialFile && !error.isRetryable)
        #expect(try await ends.wait(forCount: 1) == [.diskFull])
        let requests = story.server.requests.count
        let filled = try SplitStory.filled(in: mount.path("f.part"))
        let kept = try [UInt8](Data(contentsOf: URL(filePath: mount.path("f.part"))))
        for range in filled { #expect(TestBytes.difference(kept[range], from: SplitStory.bytes[range]) == nil) }
        let keptCount = filled.reduce(0) { $0 + $1.count }
        #expect(keptCount >= written && !FileManager.default.fileExists(atPath: mount.path("f")))

        try FileManager.default.removeItem(atPath: mount.path("filler"))
        let sent = story.server.bytesSent
        _ = try await story.test.manager.download(story.server.url("/f")).ended().get()
        #expect(SplitStory.version(of: [UInt8](try Data(contentsOf: URL(filePath: mount.path("f"))))) == 1)
        // Only what was missing is asked for, and what a connection had on its way when it was cut at a new end.
        let again = story.server.requests.dropFirst(requests)
        let wanted = SplitStory.bytes.count - keptCount + again.count * block
        #expect(story.server.bytesSent - sent <= wanted && again.allSatisfy { $0.range != nil })
    }

    /// Takes all the space that is left.
    private static func fill(_ path: String) throws {
        let descriptor = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw SystemError("open of \(path)") }
        defer { close(descriptor) }
        let page = [UInt8](repeating: 1, count: 4_096)
        while write(descriptor, page, page.count) > 0 {}
        guard errno == ENOSPC else { throw SystemError("write to \(path)") }
    }
}
