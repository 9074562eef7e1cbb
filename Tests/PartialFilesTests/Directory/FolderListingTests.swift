import HTTPResumption
import PartialFiles
import TestSupport
import Testing

@Suite struct FolderListingTests {
    @Test func itLacksAFileThatHasNoneOfItsNames() throws {
        let folder = try DownloadFolder()
        let (file, other) = (try url("http://host/file.zip"), try url("http://host/other.zip"))
        try folder.write("", to: FileName(derivedFrom: other).variant(URLHash(other).digits8).text)
        try folder.write("", to: "file.zip.part")
        let listing = try #require(folder.directory.listing(atMost: 2))
        #expect(listing.lacksFile(of: file, naming: .derived))
        #expect(!listing.lacksFile(of: other, naming: .derived))
    }

    @Test func thereIsNoListingOfMoreFilesThanAllowed() throws {
        let folder = try DownloadFolder()
        for name in ["a", "b", "c"] { try folder.write("", to: name) }
        #expect(folder.directory.listing(atMost: 2) == nil)
        #expect(folder.directory.listing(atMost: 3) != nil)
    }

    @Test func aMissingFolderLacksEverythingAndIsNotMade() throws {
        let folder = try DownloadFolder()
        let directory = DownloadDirectory(path: folder.path("sub/folder"))
        #expect(directory.listing(atMost: 1)?.lacksFile(of: try url("http://host/x"), naming: .derived) == true)
        #expect(try folder.names.isEmpty)
    }

    @Test func thereIsNoListingOfAFile() throws {
        let folder = try DownloadFolder()
        try folder.write("", to: "file")
        #expect(DownloadDirectory(path: folder.path("file")).listing(atMost: 10) == nil)
    }
}
