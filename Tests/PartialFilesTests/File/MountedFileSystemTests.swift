import Glibc
import SpateFileSystemCalls
import SpateHTTPResumption
import SpatePartialFiles
import SpateTestSupport
import Testing

/// On file systems that lack something. Mounting one takes root; without it these tests count as skipped. Other tests
/// claim the same with a simulated lack.
@Suite(.takesTurns, .enabled(if: TemporaryMount.isPossible, "mounting a file system takes root"))
struct MountedFileSystemTests {
    @Test func onRamfsADownloadIsResumedThroughItsSidecar() throws {
        let folder = DownloadFolder(on: try TemporaryMount(.ramfs))
        let file = try folder.directory.partial()
        try file.begin(total: 2_000_005, validator: .etag("\"v1\""), encoding: nil)
        // A ramfs has no count of free blocks. That must not look like a full disk.
        try file.reserve(through: 2_000_005)
        try file.append("12345")
        try file.sync()
        #expect(try folder.names == [".x.zip.part.spate", "x.zip.part"])
        file.close()

        let again = try folder.directory.partial()
        #expect(again.held == HeldBytes(length: 5, total: 2_000_005, validator: .etag("\"v1\"")))
        try again.write(String(repeating: "a", count: 2_000_000), at: 5)
        try again.finish()
        #expect(try folder.names == [".x.zip.spate", "x.zip"])
        #expect(try folder.directory.finishedFile()?.size == 2_000_005)
        try folder.directory.delete()
        #expect(try folder.names == [])
    }

    @Test func onASmallTmpfsTheSpaceIsCheckedButNoPageReserved() throws {
        let folder = DownloadFolder(on: try TemporaryMount(.tmpfs(bytes: 4_194_304)))
        let file = try folder.directory.partial()
        #expect(failure { try file.reserve(through: 8_000_000) }?.kind == .diskFull)
        try file.reserve(through: 3_000_000)
        try file.begin(total: 3_000_000, validator: nil, encoding: nil)
        try file.append("1")
        var status = stat()
        #expect(stat(folder.path("x.zip.part"), &status) == 0)
        #expect(status.st_blocks * 512 == sysconf(CInt(_SC_PAGESIZE)))
    }
}
