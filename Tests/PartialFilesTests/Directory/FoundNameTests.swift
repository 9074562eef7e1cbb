import Glibc
import SpateFileSystemCalls
import SpateHTTPResumption
import SpateLocking
import SpatePartialFiles
import SpateTestSupport
import SpateTiming
import Testing

/// A finished file whose process may have ended before it synced the folder.
@Suite(.takesTurns) struct FoundNameTests {
    /// A folder with a finished file, as another process sees it, whose clock is ahead, and how often that has synced the
    /// folder.
    private func found(ahead: Locked<Duration>) throws -> (DownloadFolder, DownloadDirectory, Locked<Int>) {
        let folder = try DownloadFolder()
        try folder.directory.fetch("12345")
        let syncs = Locked(0)
        let later = Runtime.native(wallClock: { Runtime.native.wallClock() + ahead.withLock { $0 } })
        let directory = folder.seen { platform in
            platform.runtime = later
            platform.sync = { descriptor in
                syncs.withLock { $0 += 1 }
                return fsync(descriptor)
            }
        }
        return (folder, directory, syncs)
    }

    private func file(in directory: DownloadDirectory) throws -> StoredFile {
        try #require(try directory.finishedFile())
    }

    @Test func aNameThatWasThereBeforeTheLastSyncIsOnTheDisk() throws {
        let (folder, directory, syncs) = try found(ahead: Locked(.seconds(1)))
        for name in ["a", "b", "c"] {
            try folder.write("a stranger's", to: name)
            #expect(try directory.keepName(of: try file(in: directory)))
        }
        #expect(try syncs.withLock { $0 } == 1 && folder.names == ["a", "b", "c", "x.zip"])
    }

    /// By its date it was there before the last sync.
    @Test func afterTheClockWasSetANameIsSyncedAgain() throws {
        let ahead = Locked(Duration.seconds(3_600))
        let (folder, directory, syncs) = try found(ahead: ahead)
        #expect(try directory.keepName(of: try file(in: directory)))
        ahead.withLock { $0 = .zero }
        try folder.write("a stranger's", to: "other")
        #expect(try directory.keepName(of: try file(in: directory)))
        #expect(syncs.withLock { $0 } == 2)
    }
}
