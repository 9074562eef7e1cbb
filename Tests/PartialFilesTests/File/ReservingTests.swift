import Glibc
import SpateFileSystemCalls
import SpateHTTPResumption
import SpateLocking
import SpatePartialFiles
import SpateTestSupport
import Testing

@Suite(.takesTurns) struct ReservingTests {
    private static let size: Int64 = 8_388_608

    private func allocated(_ folder: DownloadFolder) -> Int64 {
        var status = stat()
        return stat(folder.path("x.zip.part"), &status) == 0 ? Int64(status.st_blocks) * 512 : -1
    }

    /// When it is closed, and if it is shorter in the end.
    @Test(arguments: [true, false])
    func reservedBlocksAreFreedAndTheSizeStays(isClosed: Bool) throws {
        let folder = try DownloadFolder()
        let file = try folder.directory.begun("12345", total: Self.size)
        try file.reserve(through: Self.size)
        #expect(file.held.length == 5)
        if isClosed { file.close() } else { try file.prepareToPublish(size: 5) }
        #expect(try allocated(folder) <= 65_536 && folder.read("x.zip.part") == "12345")
    }

    @Test func moreThanTheDiskHasIsRefusedAtOnce() throws {
        let folder = try DownloadFolder()
        let file = try folder.directory.begun("1")
        for total in [Int64(1) << 60, .max] {
            #expect(failure { try file.reserve(through: total) }?.kind == .diskFull)
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
        let file = try folder.directory.begun("12345", total: large)
        #expect(try file.allowGaps())
        // Nothing is reserved for a small file.
        try file.reserve(through: 1_048_575)
        try file.write("x", at: small - 1)
        try file.reserve(through: small)
        try file.write("x", at: large - 1)
        let error = failure { try file.reserve(through: large) }
        #expect(error?.kind == .diskFull && calls.withLock { $0 } == [[5, small - 5]])
    }

    @Test func blocksReservedBeforeTheDiskWasFullAreFreed() throws {
        let folder = try DownloadFolder { platform in
            platform.reserve = { descriptor, offset, length in
                _ = Platform.native.reserve(descriptor, offset, length / 2)
                return failing(ENOSPC)
            }
        }
        let file = try folder.directory.begun("1")
        #expect(failure { try file.reserve(through: Self.size) }?.kind == .diskFull)
        #expect(allocated(folder) <= 65_536)
    }
}
