import Glibc
import HTTPResumption
import Locking
import PartialFiles
import TestSupport
import Testing

@Suite(.takesTurns) struct ReservingTests {
    private static let origin = "http://host/x.zip"
    private static let size: Int64 = 8_388_608

    private func allocated(_ folder: DownloadFolder) -> Int64 {
        var status = stat()
        return stat(folder.path("x.zip.part"), &status) == 0 ? Int64(status.st_blocks) * 512 : -1
    }

    @Test func reservedBlocksAreFreedAndTheSizeStays() throws {
        let folder = try DownloadFolder()
        let origin = try url(Self.origin)
        let file = try folder.directory.begun(origin, "12345", total: Self.size)
        try file.reserve(through: Self.size)
        #expect(file.held.length == 5)
        file.close()
        #expect(allocated(folder) <= 65_536)
        #expect(try folder.read("x.zip.part") == "12345")
    }

    @Test func closingTwiceFreesNothingOfASuccessor() throws {
        let folder = try DownloadFolder()
        let origin = try url(Self.origin)
        let first = try folder.directory.partial(of: origin)
        try first.reserve(through: Self.size)
        first.close()
        let second = try folder.directory.partial(of: origin)
        try second.reserve(through: Self.size)
        let reserved = allocated(folder)
        first.close()
        #expect(allocated(folder) == reserved)
    }

    @Test func reservedBlocksAreFreedIfTheFileIsShorterInTheEnd() throws {
        let folder = try DownloadFolder()
        let file = try folder.directory.partial(of: try url(Self.origin))
        try file.reserve(through: Self.size)
        try file.append("12345")
        try file.prepareToPublish(size: 5)
        #expect(allocated(folder) <= 65_536)
    }

    @Test func moreThanTheDiskHasIsRefusedAtOnce() throws {
        let folder = try DownloadFolder()
        let file = try folder.directory.partial(of: try url(Self.origin))
        for total in [Int64(1) << 60, .max] {
            let error = #expect(throws: FileSystemError.self) { try file.reserve(through: total) }
            #expect(error?.kind == .diskFull)
        }
        #expect(allocated(folder) <= 65_536)
    }

    @Test func gapsCountAsMissingThoughTheFileIsLong() throws {
        let calls = Locked<[[Int64]]>([])
        let folder = try DownloadFolder { platform in
            platform.reserve = { _, offset, length in
                calls.withLock { $0.append([offset, length]) }
                return 0
            }
        }
        let (small, large) = (Self.size, Int64(1) << 42)
        let file = try folder.directory.begun(try url(Self.origin), "12345", total: large)
        #expect(try file.allowGaps())
        try file.write("x", at: small - 1)
        try file.reserve(through: small)
        try file.write("x", at: large - 1)
        let error = #expect(throws: FileSystemError.self) { try file.reserve(through: large) }
        #expect(error?.kind == .diskFull && calls.withLock { $0 } == [[5, small - 5]])
    }

    @Test func blocksReservedBeforeTheDiskWasFullAreFreed() throws {
        let folder = try DownloadFolder { platform in
            platform.reserve = { descriptor, offset, length in
                _ = Platform.native.reserve(descriptor, offset, length / 2)
                errno = ENOSPC
                return -1
            }
        }
        let file = try folder.directory.partial(of: try url(Self.origin))
        let error = #expect(throws: FileSystemError.self) { try file.reserve(through: Self.size) }
        #expect(error?.kind == .diskFull)
        #expect(allocated(folder) <= 65_536)
    }

    @Test func aFileSystemThatCannotReserveIsNoError() throws {
        let folder = try DownloadFolder { platform in
            platform.reserve = { _, _, _ in
                errno = EOPNOTSUPP
                return -1
            }
        }
        let file = try folder.directory.partial(of: try url(Self.origin))
        #expect(throws: Never.self) { try file.reserve(through: Self.size) }
    }

    @Test func nothingIsReservedForASmallFile() throws {
        let folder = try DownloadFolder { platform in
            platform.reserve = { _, _, _ in
                Issue.record("blocks were reserved")
                return 0
            }
        }
        let file = try folder.directory.partial(of: try url(Self.origin))
        try file.reserve(through: 1_048_575)
        try file.reserve(through: 0)
    }
}
