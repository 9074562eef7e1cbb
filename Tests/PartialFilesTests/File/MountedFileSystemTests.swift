import Glibc
import HTTPResumption
import PartialFiles
import TestSupport
import Testing

/// On real file systems that lack something. Mounting them takes root: elsewhere these tests are counted as skipped,
/// and the same claims are held with the missing thing taken away by the test.
@Suite(.enabled(if: TemporaryMount.isPossible, "mounting a file system takes root"))
struct MountedFileSystemTests {
    private static let origin = "http://host/x.zip"

    /// Line 75 of the rules.
    @Test func onRamfsADownloadIsResumedThroughItsSidecar() throws {
        let folder = DownloadFolder(on: try TemporaryMount(.ramfs))
        let origin = try url(Self.origin)
        let file = try folder.directory.partial(of: origin)
        try file.begin(total: 2_000_005, validator: .etag("\"v1\""), encoding: nil)
        // It counts no free blocks at all: that must not be taken for a full disk.
        try file.reserve(through: 2_000_005)
        try file.append("12345")
        try file.sync(through: 5)
        #expect(try folder.names == [".x.zip.part.spate", "x.zip.part"])
        file.close()

        let again = try folder.directory.partial(of: origin)
        #expect(try again.held == HeldBytes(length: 5, total: 2_000_005, validator: .etag("\"v1\"")))
        try again.write(String(repeating: "a", count: 2_000_000), at: 5)
        try again.prepareToPublish(size: 2_000_005)
        _ = try again.publish(replacing: false)
        #expect(try folder.names == [".x.zip.spate", "x.zip"])
        #expect(try folder.directory.finishedFile(of: origin, naming: .derived)?.size == 2_000_005)
        try folder.directory.delete(origin, naming: .derived)
        #expect(try folder.names == [])
    }

    /// Line 68 of the rules.
    @Test func onASmallTmpfsTheRoomIsKnownBeforehandAndNoPageTaken() throws {
        let folder = DownloadFolder(on: try TemporaryMount(.tmpfs(bytes: 4_194_304)))
        let file = try folder.directory.partial(of: try url(Self.origin))
        let error = #expect(throws: FileSystemError.self) { try file.reserve(through: 8_000_000) }
        #expect(error?.kind == .diskFull)
        try file.reserve(through: 3_000_000)
        var status = stat()
        #expect(stat(folder.path("x.zip.part"), &status) == 0)
        #expect(status.st_blocks == 0)
    }

    /// Line 67 of the rules.
    @Test func aDiskThatFillsUpKeepsWhatWasWritten() throws {
        let folder = DownloadFolder(on: try TemporaryMount(.tmpfs(bytes: 1_048_576)))
        let origin = try url(Self.origin)
        let file = try folder.directory.partial(of: origin)
        try file.begin(total: 2_097_152, validator: .etag("\"v1\""), encoding: nil)
        let block = String(repeating: "a", count: 65_536)
        let error = #expect(throws: FileSystemError.self) {
            for number in 0..<32 { try file.write(block, at: Int64(number) * 65_536) }
        }
        #expect(error?.kind == .diskFull)
        file.close()
        let length = try folder.directory.partial(of: origin).held.length
        #expect(length > 500_000)
        #expect(length <= 1_048_576)
    }
}
