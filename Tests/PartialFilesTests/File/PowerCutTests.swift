import Glibc
import SpateFilePaths
import SpateFileSystemCalls
import SpateHTTPResumption
import SpatePartialFiles
import SpateTestSupport
import Testing

/// What is on a real disk when the power fails. Other tests claim the same of what a disk might leave.
@Suite(.takesTurns, .serialized, .enabled("a disk takes root, loop devices and mkfs.ext4", PowerCutDisk.isPossible))
struct PowerCutTests {
    @Test(arguments: RecordKeeping.allCases)
    func ofTwoSyncsTheFirstCounts(keeping: RecordKeeping) async throws {
        let disk = try await PowerCutDisk()
        let file = try disk.directory(keeping).begun("12345")
        try file.sync()
        try file.append("67")
        try file.sync()
        try file.append("8")
        try await disk.cutPower()
        #expect(try disk.directory(keeping, boot: RecordKeeping.otherBoot).partial().held.length >= 5)
    }

    /// The sidecar is synced at once, but the emptied attributes only with the file.
    @Test(arguments: [false, true])
    func aRecordThatMovesKeepsWhatIsSynced(isSyncedAgain: Bool) async throws {
        let disk = try await PowerCutDisk()
        let platform = RecordKeeping.attributes.platform { $0.attributes = { CheckedAttributes($0, limit: 40) } }
        let file = try GappedFile.made(in: DownloadDirectory(path: FilePath(disk.path), platform: platform))
        try file.sync()
        for offset in stride(from: Int64(6), to: 20, by: 2) { try file.write("x", at: offset) }
        let filled = file.filled
        if isSyncedAgain { try file.sync() }
        try await disk.cutPower()
        let found = try disk.directory(.attributes, boot: RecordKeeping.otherBoot).partial().filled
        #expect(found == (isSyncedAgain ? filled : FilledRanges(upTo: 4)))
    }

    @Test(arguments: RecordKeeping.allCases)
    func aPublishedFileKeepsItsNameAndItsRecord(keeping: RecordKeeping) async throws {
        let disk = try await PowerCutDisk()
        let file = try disk.directory(keeping).begun("12345", total: 5)
        try file.sync()
        try file.finish()
        let isSynced = Watched(false)
        file.whenFinalNameIsSynced { _ in isSynced.update { $0 = true } }
        #expect(isSynced.value)
        try await disk.cutPower()
        let later = disk.directory(keeping, boot: RecordKeeping.otherBoot)
        #expect(try later.finishedFile()?.size == 5)
        #expect(try later.contents().map(\.name) == ["x.zip"])
    }
}

extension PowerCutDisk {
    fileprivate func directory(_ keeping: RecordKeeping, boot: BootID? = RecordKeeping.boot) -> DownloadDirectory {
        DownloadDirectory(path: FilePath(path), platform: keeping.platform { $0.boot = boot })
    }
}
