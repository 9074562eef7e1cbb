import Foundation
import Spate
import TestSupport
import Testing

/// What a power cut leaves, and two processes with one file (ResumptionRules.md 72, 73 and 79).
@Suite(.mostlyWaits) struct DiskBootTests {
    @Test func aZeroedTailOfAnotherBootIsCutAtTheMarkAndFetchedAgain() async throws {
        let left = try await DiskLeftover()
        try left.zero(from: 120_000)
        try left.set("user.spate.durable", to: "120000 \(DiskLeftover.otherBoot)")
        _ = try await left.nextRun().get()
        #expect(try left.difference() == nil && left.laterRanges == [.rest(from: 120_000)])
    }

    @Test(arguments: [nil, "0 \(DiskLeftover.otherBoot)", "0 -", "120000"])
    func withoutADurableMarkNothingIsTrusted(mark: String?) async throws {
        let left = try await DiskLeftover()
        try left.zero(from: 0)
        if let mark { try left.set("user.spate.durable", to: mark) } else { try left.remove("user.spate.durable") }
        _ = try await left.nextRun().get()
        #expect(try left.difference() == nil && left.laterRanges == [nil])
    }

    @Test func underTheSameBootEveryByteIsTrusted() async throws {
        let left = try await DiskLeftover()
        try left.set("user.spate.durable", to: "120000 \(DiskLeftover.boot)")
        _ = try await left.nextRun().get()
        #expect(try left.difference() == nil && left.laterRanges == [.rest(from: 200_000)])
    }

    @Test(arguments: [true, false])
    func aFileShorterThanTheMarkStartsOver(isSameBoot: Bool) async throws {
        let left = try await DiskLeftover()
        let boot = isSameBoot ? try DiskLeftover.boot : DiskLeftover.otherBoot
        try left.set("user.spate.durable", to: "120000 \(boot)")
        #expect(truncate(left.partial, 119_999) == 0)
        _ = try await left.nextRun().get()
        #expect(try left.difference() == nil && left.laterRanges == [nil])
    }

    @Test func ofTwoProcessesOneDownloadsAndTheOtherFails() async throws {
        let gate = try Gate()
        let bytes = DiskLeftover.bytes
        let server = try TestServer { .file(bytes, etag: "\"v1\"", for: $0).gated(after: 100_000, gate) }
        let test = try TestManager()
        let arguments = ["--timeout", "600", server.url("/f").absoluteString]
        let child = try CrashProgram.start(arguments, in: test.folder.path)
        try await eventually("bytes on disk") {
            try test.manager.storedDownloads().first?.receivedBytes == 100_000
        }
        let error = try #require(try await test.manager.download(server.url("/f")).ended().error)
        #expect(error.code == .inUse && server.requests.count == 1)
        #expect(try test.manager.storedDownloads().first?.isInUse == true && test.manager.restore().isEmpty)
        gate.open()
        #expect(try await child.waitForExit() == .status(0))
        #expect(TestBytes.difference(try test.bytes("f"), from: bytes) == nil)
        _ = try await test.manager.download(server.url("/f")).ended().get()
        #expect(server.requests.count == 1)
    }
}
