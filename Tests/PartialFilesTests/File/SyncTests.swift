import Glibc
import HTTPResumption
import Locking
import PartialFiles
import TestSupport
import Testing

@Suite(.takesTurns) struct SyncTests {
    private static let origin = "http://host/x.zip"

    @Test(arguments: RecordKeeping.allCases)
    func syncedBytesSurviveAPowerCut(keeping: RecordKeeping) throws {
        let folder = try DownloadFolder(keeping)
        let origin = try url(Self.origin)
        let file = try folder.directory.begun(origin, "12345")
        #expect(file.durable.front == 0)
        try file.sync()
        #expect(file.durable.front == 5)
        try file.append("678")
        file.close()

        let later = folder.seen(keeping) { $0.boot = RecordKeeping.otherBoot }
        let again = try later.partial(of: origin)
        #expect(again.held.length == 5)
        // The bytes that follow belong to this boot; those before are synced.
        try again.begin(total: 9, validator: nil, encoding: nil)
        try again.append("6")
        again.close()
        #expect(try later.partial(of: origin).held.length == 6)
    }

    @Test func aSyncWithoutNewBytesDoesNothing() throws {
        let count = Locked(0)
        let folder = try DownloadFolder { platform in
            platform.sync = { descriptor in
                count.withLock { $0 += 1 }
                return fsync(descriptor)
            }
        }
        let file = try folder.directory.begun(try url(Self.origin), "12345")
        for _ in 0..<3 { try file.sync() }
        #expect(count.withLock { $0 } == 1)
        try file.append("6789")
        file.close()
        try file.sync()
        #expect(count.withLock { $0 } == 1)
    }

    @Test func aFailedSyncIsNotTriedAgainUntilTheFileIsTruncated() throws {
        let isBroken = Locked(false)
        let folder = try DownloadFolder { platform in
            platform.sync = { descriptor in
                // The kernel reports lost bytes once, and then success.
                let isBroken = isBroken.withLock { isBroken in
                    defer { isBroken = false }
                    return isBroken
                }
                if !isBroken { return fsync(descriptor) }
                errno = EIO
                return -1
            }
        }
        let file = try folder.directory.begun(try url(Self.origin), "123")
        try file.sync()
        #expect(file.syncFailure == nil)
        try file.append("456")
        isBroken.withLock { $0 = true }
        for _ in 0..<2 {
            let error = #expect(throws: FileSystemError.self) { try file.sync() }
            #expect(error?.operation == .sync)
            #expect(error?.code == EIO)
            #expect(file.syncFailure == error)
        }
        #expect(throws: FileSystemError.self) { try file.prepareToPublish(size: 6) }
        #expect(file.durable.front == 3)

        try file.truncate(to: 4)
        #expect(throws: FileSystemError.self) { try file.sync() }
        try file.keepDurable()
        #expect(file.syncFailure == nil)
        #expect(file.held.length == 3)
        try file.append("456")
        try file.sync()
        #expect(file.durable.front == 6)
    }

    @Test func aFileThatCannotBeSyncedDoesNotGetItsFinalName() throws {
        let folder = try DownloadFolder { platform in
            platform.sync = { _ in
                errno = EIO
                return -1
            }
        }
        let file = try folder.directory.partial(of: try url(Self.origin))
        try file.append("123")
        #expect(throws: FileSystemError.self) { try file.prepareToPublish(size: 3) }
        #expect(try folder.names == ["x.zip.part"])
    }

    @Test func aSyncDoesNotMarkBytesThatWereCutOffMeanwhile() throws {
        let inTheMiddle = Locked<(@Sendable () -> Void)?>(nil)
        let folder = try DownloadFolder { platform in
            platform.sync = { descriptor in
                inTheMiddle.withLock { $0 }?()
                return fsync(descriptor)
            }
        }
        let file = try folder.directory.begun(try url(Self.origin), "12345")
        inTheMiddle.withLock { action in
            action = { [weak file] in
                #expect(throws: Never.self) {
                    try file?.truncate(to: 0)
                    try file?.write("54321", at: 0)
                }
            }
        }
        try file.sync()
        #expect(file.durable.front == 0)
        inTheMiddle.withLock { $0 = nil }
        try file.sync()
        #expect(file.durable.front == 5)
    }
}
