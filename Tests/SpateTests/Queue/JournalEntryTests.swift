import Foundation
import SpateFilePaths
import SpateTestSupport
import Testing

@testable import Spate
@testable import SpateQueueJournals

/// Requests as the lines of a journal, which other versions read and have written.
@Suite struct JournalEntryTests {
    private func request(_ fields: String) -> DownloadRequest? {
        JournalEntry(fields: Array("http://host/f\(fields.isEmpty ? "" : "\t")\(fields)".utf8)[...])?.request
    }

    private func text(_ request: DownloadRequest) throws -> String {
        let folder = try TemporaryFolder()
        let valid = try ValidRequest(request, in: ValidConfiguration(.init(directory: folder.url)))
        let entry = JournalEntry((request, valid, FilePath(folder.path)))
        return entry.fields.map { "\($0.name)=\($0.value)" }.joined(separator: " ")
    }

    private static let full =
        "name=a b folder=/else cut=2 priority=-4 size=1500 max=2000 "
        + "checksum=md5:900150983cd24fb0d6963f7d28e17f72 pieces=1500 sha256 1000 \(zeros) mirror=https://m/1 "
        + "mirror=https://m/2 connections=3 rate=7 time=2.5 options=riuspwmon"
    private static let zeros = String(repeating: "0", count: 128)

    @Test func theFormIsThatOfEarlierVersions() throws {
        var full = DownloadRequest(try #require(URL(string: "https://host/f")))
        (full.fileName, full.naming) = ("a b", .server)
        (full.directory, full.placement) = (URL(fileURLWithPath: "/else"), .urlFolders(cutting: 2))
        (full.priority, full.expectedBytes, full.maximumBytes) = (.low, 1_500, 2_000)
        full.checksum = try Checksum("md5:900150983cd24fb0d6963f7d28e17f72")
        full.metalink = Metalink.File(storedPieces: "1500 sha256 1000 \(Self.zeros)", of: full)
        full.mirrors = ["https://ann:hush@m/1#part", "https://host/f", "https://m/2"].compactMap { URL(string: $0) }
        (full.connections, full.maxBytesPerSecond) = (.exactly(3), 7)
        full.timeLimit = .milliseconds(2_500)
        (full.replacesExistingFile, full.allowsInsecureRedirects, full.checksForUpdate) = (true, true, true)
        (full.skipsExistingFile, full.keepsServerTime, full.usesServerMetalink) = (true, false, true)
        full.repair = DownloadRequest.Repair(source: URL(fileURLWithPath: "/other"))
        #expect(try text(full) == Self.full)
        #expect(try text(DownloadRequest(full.url)) == "")

        let read = try #require(request(Self.full.replacing(#/ (?=[a-z]+=)/#, with: "\t")))
        var kept = full
        kept.mirrors.remove(at: 1)
        kept.mirrors[0] = try #require(URL(string: "https://m/1"))
        (kept.url, kept.repair, kept.directory) = (read.url, DownloadRequest.Repair(), read.directory)
        kept.metalink = read.metalink
        #expect(read == kept && read.directory?.path == "/else")
        #expect(read.metalink?.pieces != nil && read.metalink?.pieces == full.metalink?.pieces)
    }

    @Test func theOtherValuesOfAnOptionAreReadBack() throws {
        var other = DownloadRequest(try #require(URL(string: "https://host/f")))
        (other.naming, other.keepsServerTime, other.isChosenByDocument) = (.automatic, true, true)
        other.connections = .automatic
        #expect(try text(other) == "connections=0 options=tda")
        other.url = try #require(URL(string: "http://host/f"))
        #expect(request("connections=0\toptions=tda") == other)
    }

    /// Earlier versions did not say who chose the URL. What a Metalink says is taken for one's.
    @Test(arguments: [
        ("name=a", false), ("size=5", true), ("checksum=md5:900150983cd24fb0d6963f7d28e17f72", true),
        ("mirror=http://m/a", true), ("pieces=1500 sha256 1000 \(zeros)", true),
        ("size=5\toptions=o", false), ("options=d", true), ("options=r\tsize=5", true),
    ])
    func whoChoseTheURLIsDecidedSafely(fields: String, isDocument: Bool) {
        #expect(request(fields)?.isChosenByDocument == isDocument)
    }

    @Test(arguments: [false, true], [nil, 5] as [Int64?])
    func whoChoseTheURLIsKept(isDocument: Bool, size: Int64?) throws {
        var chosen = DownloadRequest(try #require(URL(string: "http://host/f")))
        (chosen.isChosenByDocument, chosen.expectedBytes) = (isDocument, size)
        #expect(request(try text(chosen).replacing(" ", with: "\t")) == chosen)
    }

    /// Another checksum must not be forgotten: the file would not be checked.
    @Test(arguments: ["checksum=later:00", "checksum=md5:1", "pieces=1 2", "pieces="])
    func aFileThatThisVersionCannotCheckIsNoRequest(fields: String) {
        #expect(request(fields) == nil)
    }

    @Test func whatIsNoNumberIsSkipped() throws {
        let plain = DownloadRequest(try #require(URL(string: "http://host/f")))
        for field in [
            "max= 5", "rate=1e3", "cut=x", "priority=3", "priority=", "connections=0x1", "max=9223372036854775808",
            "later=1", "options=xyz",
        ] {
            #expect(request(field) == plain, "\(field)")
        }
        #expect(request("max=5\tmax=+6")?.maximumBytes == 6 && request("max=5\tmax=x")?.maximumBytes == nil)
    }
}
