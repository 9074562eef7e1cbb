import CSpateSystem
import Glibc
import SpateFilePaths
import SpateFileSystemCalls
import SpateHTTPSyntax
import SpateLocking
import SpatePartialFiles
import SpateQueueJournals
import SpateTestSupport
import Testing

@Suite struct LeftJournalTests {
    private func leave(_ urls: [String], in directory: DownloadDirectory) throws {
        var journal = try JournalFile(in: directory)
        var lines: [UInt8] = []
        for (number, url) in urls.enumerated() {
            JournalRecord.entry(UInt64(number), JournalEntry(url: url)).write(to: &lines)
        }
        try journal.append(lines)
    }

    private func left(in directory: DownloadDirectory) throws -> [[String]] {
        try directory.takeJournals(onlyToLook: true).map { journal in
            var urls: [String] = []
            try journal.forEachEntry { urls.append($1.url) }
            return urls
        }
    }

    /// Journals have names of their own, so the records of the other files need not be read.
    @Test func aFolderThatAnotherMachineMayChangeIsListedAndNotIndexed() throws {
        let folder = try TemporaryFolder()
        let indexings = Locked(0)
        var platform = Platform.native
        platform.watch = { [watch = platform.watch] descriptor in
            indexings.withLock { $0 += 1 }
            return watch(descriptor)
        }
        platform.volume = { [volume = platform.volume] descriptor, found in
            let result = volume(descriptor, found)
            found.pointee.kind = UInt(NFS_SUPER_MAGIC)
            return result
        }
        let directory = DownloadDirectory(path: FilePath(folder.path), platform: platform)
        try leave(["http://host/a"], in: directory)
        try leave(["http://host/a", "http://host/b"], in: directory)
        try directory.endJournalEntries(of: [HTTPURL("http://host/a")])
        #expect(try left(in: directory) == [["http://host/b"]])
        #expect(indexings.withLock { $0 } == 0)
    }
}
