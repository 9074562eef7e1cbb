import Glibc
import SpateFileSystemCalls
import SpateHTTPResumption
import SpateLocking
import SpatePartialFiles
import SpateTestSupport
import Testing

@Suite(.takesTurns) struct SyncTests {
    @Test func aSyncWithoutNewBytesDoesNothing() throws {
        let count = Locked(0)
        let folder = try DownloadFolder { $0.countSyncs(in: count) }
        let file = try folder.directory.begun("12345")
        for _ in 0..<3 { try file.sync() }
        #expect(count.withLock { $0 } == 1)
        try file.append("6789")
        file.close()
        try file.sync()
        #expect(count.withLock { $0 } == 1)
    }

    @Test func aFailedSyncIsNotTriedAgainUntilTheFileIsTruncated() throws {
        // The kernel reports lost bytes once, and then success.
        let failures = Locked<[CInt]>([])
        let folder = try DownloadFolder { platform in
            platform.sync = { descriptor in failures.withLock { $0.popLast() }.map(failing) ?? fsync(descriptor) }
        }
        let file = try folder.directory.begun("123")
        try file.sync()
        #expect(file.syncFailure == nil)
        try file.append("456")
        failures.withLock { $0 = [EIO] }
        for _ in 0..<2 {
            let error = failure { try file.sync() }
            #expect(error?.operation == .sync && error?.code == EIO && file.syncFailure == error)
        }
        #expect(failure { try file.prepareToPublish(size: 6) } != nil)
        #expect(try file.durable.front == 3 && folder.names == ["x.zip.part"])

        try file.truncate(to: 4)
        #expect(failure { try file.sync() } != nil)
        try file.keepDurable()
        #expect(file.syncFailure == nil && file.held.length == 3)
        try file.append("456")
        try file.sync()
        #expect(file.durable.front == 6)
    }

    @Test func aSyncDoesNotMarkBytesThatWereCutOffMeanwhile() throws {
        let meanwhile = Locked<(@Sendable () throws -> Void)?>(nil)
        let folder = try DownloadFolder { platform in
            platform.sync = { descriptor in
                #expect(throws: Never.self) { try meanwhile.withLock { $0.take() }?() }
                return fsync(descriptor)
            }
        }
        let file = try folder.directory.begun("12345")
        meanwhile.withLock { action in
            action = { [weak file] in
                try file?.truncate(to: 0)
                try file?.write("54321", at: 0)
            }
        }
        try file.sync()
        #expect(file.durable.front == 0)
        try file.sync()
        #expect(file.durable.front == 5)
    }
}
