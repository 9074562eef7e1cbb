import Glibc
import SpateFilePaths
import SpateFileSystemCalls
import SpateHTTPResumption
import SpatePartialFiles
import SpateTestSupport
import Testing

@Suite(.takesTurns) struct ProvenFileTests {
    private static let checksum = "sha256:" + String(repeating: "ab", count: 32)

    private func keepProof(in folder: DownloadFolder, checksum: String? = checksum) throws {
        let stranger = try #require(try folder.directory.anyFile(folder.claim))
        let file = try folder.directory.open(stranger)
        folder.directory.keepProof(of: file, for: origin, checksum: checksum, isOfDocument: false)
    }

    @Test(arguments: RecordKeeping.allCases) func aProvenFileIsFoundAsTheFinishedOne(keeping: RecordKeeping) throws {
        let folder = try DownloadFolder(keeping)
        try folder.write("12345", to: "x.zip")
        #expect(try folder.directory.finishedFile() == nil)
        try keepProof(in: folder)
        let found = try #require(try folder.directory.finishedFile())
        #expect(found.size == 5 && found.total == 5)
        guard case .final(let file) = try folder.directory.find("x.zip", wantsAny: false) else {
            Issue.record("it is no final file")
            return
        }
        #expect(file.checksum == Self.checksum && !file.isWritten)
        try folder.directory.delete()
        #expect(try folder.names == [])
    }

    /// What is known of the bytes that it had says nothing about those that it has.
    @Test(arguments: RecordKeeping.allCases) func aChangedOneForgetsItsValidator(keeping: RecordKeeping) throws {
        let folder = try DownloadFolder(keeping)
        let part = try folder.directory.partial()
        try part.begin(total: 5, validator: .etag("\"v1\""), encoding: nil)
        try part.append("12345")
        try part.finish()
        #expect(truncate(folder.path("x.zip"), 3) == 0)
        let changed = try #require(try folder.directory.finalFile(folder.claim))
        #expect(changed.isChanged && changed.size == 3 && changed.total == 5 && changed.entity == nil)
        #expect(try folder.directory.finishedFile() == nil)
        try keepProof(in: folder, checksum: nil)
        let found = try #require(try folder.directory.finishedFile())
        #expect(found.size == 3 && found.total == 3 && found.entity?.validator == nil)
        try folder.directory.delete()
        #expect(try folder.names == [])
    }

    @Test func theTargetOfALinkIsLeftAlone() throws {
        let folder = try DownloadFolder()
        try folder.write("12345", to: "target")
        #expect(symlink("target", folder.path("x.zip")) == 0)
        try keepProof(in: folder)
        #expect(try folder.directory.contents().isEmpty)
        #expect(try folder.directory.anyFile(folder.claim, followsLinks: false) == nil)
    }
}
