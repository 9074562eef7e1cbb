import Glibc
import HTTPResumption
import Locking
import PartialFiles
import TestSupport
import Testing

/// Finishing a file first and bringing it to the medium later.
@Suite struct SettlingTests {
    private static let origin = "http://host/x.zip"

    private func published(_ folder: DownloadFolder) throws -> PartialFile {
        let file = try folder.directory.partial(of: try url(Self.origin))
        try file.begin(total: 5, validator: nil, encoding: nil)
        try file.append("12345")
        try file.prepareToPublish(size: 5, durably: false)
        _ = try file.publish(replacing: false)
        return file
    }

    private func isFinished(_ directory: DownloadDirectory) throws -> Bool {
        let file = try directory.finishedFile(of: try url(Self.origin), naming: .derived)
        #expect(try directory.contents().map(\.isFinished) == [file != nil])
        return file != nil
    }

    @Test(arguments: RecordKeeping.allCases)
    func anUnsettledFileIsBelievedUntilThePowerIsCut(keeping: RecordKeeping) throws {
        let calls = Locked(0)
        let folder = try DownloadFolder(keeping) { platform in
            platform.synchronise = { descriptor in
                calls.withLock { $0 += 1 }
                return fdatasync(descriptor)
            }
        }
        let later = folder.seen(keeping) { $0.boot = RecordKeeping.otherBoot }
        let file = try published(folder)
        #expect(calls.withLock { $0 } == 0)
        #expect(try isFinished(folder.directory))
        #expect(try !isFinished(later))

        try file.settle()
        #expect(calls.withLock { $0 } >= 1)
        #expect(try isFinished(folder.directory))
        #expect(try isFinished(later))
    }

    @Test(arguments: RecordKeeping.allCases)
    func aFileThatThePowerWasCutOnIsFetchedAgain(keeping: RecordKeeping) throws {
        let folder = try DownloadFolder(keeping)
        _ = try published(folder)
        let later = folder.seen(keeping) { $0.boot = RecordKeeping.otherBoot }
        #expect(try later.contents().map(\.condition) == [.damaged])
        #expect(try later.fetch(try url(Self.origin), "54321") == folder.path("x.zip"))
        #expect(try folder.read("x.zip") == "54321")
        #expect(try isFinished(later))
    }

    @Test func aDamagedFileOfAnEarlierDayIsReplacedWhereTheRecordIsInASidecar() throws {
        let folder = try DownloadFolder(.sidecar)
        _ = try published(folder)
        // As if it were a day old, and its sidecar too.
        let sidecar = try folder.read(".x.zip.spate")
        let line = try #require(sidecar.split(separator: "\n").first { $0.hasPrefix("modified=") })
        let modified = try #require(Int(line.dropFirst("modified=".count))) - 86_400
        var times = [timespec(tv_sec: modified, tv_nsec: 0), timespec(tv_sec: modified, tv_nsec: 0)]
        #expect(utimensat(AT_FDCWD, folder.path("x.zip"), &times, 0) == 0)
        try folder.write(sidecar.replacing(line, with: "modified=\(modified)"), to: ".x.zip.spate")

        let later = folder.seen(.sidecar) { $0.boot = RecordKeeping.otherBoot }
        #expect(try later.contents().map(\.condition) == [.damaged])
        #expect(try later.fetch(try url(Self.origin), "54321") == folder.path("x.zip"))
        #expect(try folder.read("x.zip") == "54321")
        #expect(try isFinished(later))
    }

    @Test func withoutABootIDEveryFileIsBroughtToTheMediumFirst() throws {
        let folder = try DownloadFolder { $0.boot = nil }
        _ = try published(folder)
        #expect(try isFinished(folder.directory))
    }

    @Test(arguments: RecordKeeping.allCases)
    func settlingWhatWasReplacedMeanwhileLeavesTheNewFileAlone(keeping: RecordKeeping) throws {
        let folder = try DownloadFolder(keeping)
        let file = try published(folder)
        try folder.directory.fetch(try url(Self.origin), "123", replacesExisting: true)
        try file.settle()
        #expect(try folder.directory.finishedFile(of: try url(Self.origin), naming: .derived)?.size == 3)
    }
}
