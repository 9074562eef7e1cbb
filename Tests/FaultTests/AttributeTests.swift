import CSystem
import Foundation
import Spate
import TestSupport
import Testing

/// Stored attributes that are gone, do not fit, are garbled or forged (ResumptionRules.md 74 to 78).
@Suite(.mostlyWaits) struct AttributeTests {
    @Test func aPartialFileCopiedWithoutAttributesIsLeftAlone() async throws {
        let left = try await DiskLeftover()
        let held = try Data(contentsOf: URL(filePath: left.partial))
        try FileManager.default.removeItem(atPath: left.partial)
        try held.write(to: URL(filePath: left.partial))
        _ = try await left.nextRun().get()
        #expect(try left.difference() == nil && left.laterRanges == [nil])
        #expect(TestBytes.difference(try Data(contentsOf: URL(filePath: left.partial)), from: held) == nil)
    }

    @Test func withoutItsValidatorAnOverlapIsCompared() async throws {
        let left = try await DiskLeftover()
        try left.remove("user.spate.validator")
        _ = try await left.nextRun().get()
        #expect(try left.difference() == nil && left.laterRanges == ["bytes=\(200_000 - 65_536)-"])
    }

    @Test(.enabled(if: TemporaryMount.isPossible, "mounting a file system without attributes needs root"))
    func withoutAttributesTheSidecarIsUsed() async throws {
        let mount = try TemporaryMount(.ramfs)
        let left = try await DiskLeftover(in: mount.path)
        _ = try await left.nextRun().get()
        #expect(try left.difference() == nil && left.laterRanges == [.rest(from: 200_000)])
        #expect(left.server.requests.last?.ifRange == "\"v1\"" && left.first.manager.isDownloaded(left.url))
        try left.first.manager.delete(left.url)
        #expect(try FileManager.default.contentsOfDirectory(atPath: mount.path).isEmpty)
    }

    /// One byte beyond what is remembered, though there would be room; and more than any attribute holds.
    @Test(arguments: [1_025, 70_000])
    func aValidatorTooLargeToStoreIsLeftOutAndTheFileStillArrives(length: Int) async throws {
        let left = try await DiskLeftover(etag: "\"\(String(repeating: "v", count: length - 2))\"")
        #expect(try attributes(of: left.partial)["user.spate.validator"] == nil)
        _ = try await left.nextRun().get()
        #expect(try left.difference() == nil && left.server.requests.last?.ifRange == nil)
    }

    @Test func anAddressAndAValidatorWithoutRoomForBothAreStoredBesideTheFile() async throws {
        // ext4 gives a file 4 KiB for all its attributes, and the address takes most of them. Others have more room.
        let tag = "\"\(String(repeating: "v", count: 1_000))\""
        let left = try await DiskLeftover(etag: tag, target: "/f?" + String(repeating: "q", count: 3_300))
        _ = try await left.nextRun().get()
        #expect(try left.difference() == nil && left.server.requests.last?.ifRange == tag)
        #expect(left.laterRanges == [.rest(from: 200_000)])
    }

    @Test func anAddressTooLargeForAnAttributeIsStoredBesideTheFile() async throws {
        let left = try await DiskLeftover(target: "/f?" + String(repeating: "q", count: 60_000))
        _ = try await left.nextRun().get()
        #expect(try left.difference() == nil && left.laterRanges == [.rest(from: 200_000)])
    }

    struct Garbled: Sendable, CustomTestStringConvertible {
        var name: String
        var value: String
        /// What the next run then asks for.
        var ranges: [String?]

        var testDescription: String { "\(name) = \(value.debugDescription)" }
    }

    /// What an attribute may have become.
    static let garbled: [Garbled] = {
        let held: [String?] = [.rest(from: 200_000)]
        let overlap: [String?] = ["bytes=\(200_000 - 65_536)-"]
        let totals = ["", "x", "-5", "+300000", "0300000", "3e5", "99999999999999999999", " 300000", "300000\n"]
        let marks = ["", "x", "-1 \(DiskLeftover.otherBoot)", "200000", "5 0123", "99999999999999999999 -", "5 -\n"]
        let validators = ["", "v1", "W/\"v1\"", "\"v1\"\r\nX-Evil: 1", "\"v\u{0}1\"", "\"v1", "Mon, 99 Foo 2020"]
        var garbled: [Garbled] = []
        for value in totals { garbled.append(Garbled(name: "user.spate.total", value: value, ranges: held)) }
        for value in marks { garbled.append(Garbled(name: "user.spate.durable", value: value, ranges: [nil])) }
        for value in validators { garbled.append(Garbled(name: "user.spate.validator", value: value, ranges: overlap)) }
        let huge = "\(Int64.max)"
        let future = "Fri, 31 Dec 9999 23:59:59 GMT"
        return garbled + [
            // It has shrunk on the server, or so it seems.
            Garbled(name: "user.spate.total", value: huge, ranges: held + [nil]),
            Garbled(name: "user.spate.durable", value: "\(huge) \(DiskLeftover.otherBoot)", ranges: [nil]),
            Garbled(name: "user.spate.validator", value: future, ranges: held),
            Garbled(name: "user.spate.encoding", value: "g\u{1}zip", ranges: held),
            Garbled(name: "user.spate.future", value: "1", ranges: held),
        ]
    }()

    @Test(arguments: garbled) func aGarbledAttributeIsIgnored(garbled: Garbled) async throws {
        let left = try await DiskLeftover()
        try left.set(garbled.name, to: garbled.value)
        _ = try await left.nextRun().get()
        #expect(try left.difference() == nil && left.laterRanges == garbled.ranges)
        #expect(left.server.requests.allSatisfy { $0.fields["X-Evil"] == nil })
    }

    @Test func aForgedValidatorMakesTheResponseDecide() async throws {
        let left = try await DiskLeftover()
        try left.set("user.spate.validator", to: "\"another\"")
        try left.zero(from: 0)
        _ = try await left.nextRun().get()
        #expect(try left.difference() == nil && left.laterRanges == [.rest(from: 200_000)])
    }

    @Test func aForgedTotalDoesNotMakeAPartWhole() async throws {
        let left = try await DiskLeftover()
        try left.set("user.spate.total", to: "200000")
        _ = try await left.nextRun().get()
        #expect(try left.difference() == nil && left.laterRanges == ["bytes=200000-", nil])
    }

    @Test func aPartialFileWithAForgedOriginIsLeftAlone() async throws {
        let left = try await DiskLeftover()
        let held = try Data(contentsOf: URL(filePath: left.partial))
        try left.set("user.xdg.origin.url", to: left.server.url("/other/f").absoluteString)
        let file = try await left.nextRun().get()
        #expect(try left.difference(at: file.lastPathComponent) == nil && left.laterRanges == [nil])
        #expect(TestBytes.difference(try Data(contentsOf: URL(filePath: left.partial)), from: held) == nil)
    }

    @Test func forgedBytesUnderTheRightTagAreCaughtByTheChecksum() async throws {
        let left = try await DiskLeftover()
        try left.zero(from: 0)
        // Of DiskLeftover.bytes, by sha256sum.
        _ = try await left.nextRun { $0.sha256 = Self.digest }.get()
        #expect(try left.difference() == nil && left.laterRanges == [.rest(from: 200_000), nil])
    }

    private static let digest = "f24ee6782df176a08b8dd47ec74511f1d1eec63333e980ac0335a03b9689ddcf"
}
