import Glibc
import HTTPResumption
import Locking
import PartialFiles
import TestSupport
import Testing
import Timing

/// A finished file whose process may have ended before it synced the folder.
@Suite(.takesTurns) struct FoundNameTests {
    private let origin = "http://host/x.zip"

    /// A folder with a finished file, as another process sees it later, and how often that has synced the folder.
    private func found(after delay: Duration) throws -> (DownloadFolder, DownloadDirectory, Locked<Int>) {
        let folder = try DownloadFolder()
        try folder.directory.fetch(try url(origin), "12345")
        let syncs = Locked(0)
        let native = Runtime.native
        let later = Runtime(
            clock: native.clock,
            wallClock: { native.wallClock() + delay },
            processorTime: native.processorTime,
            randomBits: native.randomBits,
            sleep: native.sleep,
            after: native.after,
            makeQueue: native.makeQueue,
            makeStartQueue: native.makeStartQueue,
            executor: nil
        )
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
        try #require(try directory.finishedFile(of: try url(origin), naming: .derived))
    }

    @Test func theNameOfAFileOfTheLastMinuteIsSyncedOnce() throws {
        let (folder, directory, syncs) = try found(after: .seconds(30))
        for _ in 0..<3 { #expect(try directory.keepName(of: try file(in: directory))) }
        #expect(syncs.withLock { $0 } == 1)
        // Another name may be the next to be found.
        try folder.write("a stranger's", to: "other")
        #expect(try directory.keepName(of: try file(in: directory)))
        #expect(syncs.withLock { $0 } == 2)
    }

    @Test(arguments: [61, 86_400]) func anOlderNameIsOnTheDisk(seconds: Int) throws {
        let (folder, directory, syncs) = try found(after: .seconds(seconds))
        #expect(try directory.keepName(of: try file(in: directory)))
        #expect(try syncs.withLock { $0 } == 0 && folder.names == ["x.zip"])
    }

    /// Somebody has set the clock back.
    @Test func aNameOfTheFutureIsSynced() throws {
        let (folder, directory, syncs) = try found(after: .seconds(-3_600))
        #expect(try directory.keepName(of: try file(in: directory)))
        #expect(try syncs.withLock { $0 } == 1 && folder.names == ["x.zip"])
    }
}
