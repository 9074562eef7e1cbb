import Glibc
import SpateFilePaths
import SpateHTTPResumption
import SpatePartialFiles
import SpateTestSupport
import Testing

@Suite(.takesTurns) struct FolderListingTests {
    @Test func itLacksADownloadThatHasNoneOfItsNames() throws {
        let folder = try DownloadFolder()
        let origin = try url("http://host/file.zip")
        let name = FileName(derivedFrom: origin)
        let variants = [name.variant(URLHash(origin).digits8), name.variant(URLHash(origin).digits16)]
        for known in ([name] + variants).flatMap({ [$0.path, $0.partial, $0.partial(of: origin)] }).map(\.text) {
            try folder.write("", to: known)
            let listing = try #require(folder.directory.listing(atMost: 1))
            #expect(!listing.lacksAll(FileNaming.derived.candidates(for: origin)), "\(known)")
            #expect(listing.lacksAll(FileNaming.derived.candidates(for: try url("http://host/other.zip"))))
            #expect(unlink(folder.path(known)) == 0)
        }
    }

    /// A name with sixteen digits is used only beside one with eight.
    @Test func withoutAListingTheNamesThatADownloadMayUseAreLookedUp() throws {
        let folder = try DownloadFolder()
        for address in ["http://host/file.zip", "http://host/file.zip?page=2"] {
            let origin = try url(address)
            let candidates = FileNaming.derived.candidates(for: origin)
            let names = Array(candidates.prefix(candidates.hashTurn + 1))
            let all = (names.flatMap { [$0.path, $0.partial] } + [names[0].partial(of: origin)]).map(\.text)
            #expect(folder.directory.lacksAll(candidates))
            for known in all {
                try folder.write("", to: known)
                #expect(!folder.directory.lacksAll(candidates), "\(known)")
                #expect(folder.directory.lacksAll(FileNaming.derived.candidates(for: try url("http://host/other.zip"))))
                #expect(unlink(folder.path(known)) == 0)
            }
        }
    }

    @Test func aMissingFolderLacksEverythingAndOfAFileNothingIsKnown() throws {
        let folder = try DownloadFolder()
        try folder.write("", to: "a")
        let candidates = FileNaming.derived.candidates(for: origin)
        #expect(DownloadDirectory(path: FilePath(folder.path("sub/folder"))).lacksAll(candidates))
        #expect(!DownloadDirectory(path: FilePath(folder.path("a"))).lacksAll(candidates))
        #expect(try folder.names == ["a"])
    }

    @Test func thereIsNoListingOfMoreFilesThanAllowedNorOfAFile() throws {
        let folder = try DownloadFolder()
        for name in ["a", "b", "c"] { try folder.write("", to: name) }
        #expect(folder.directory.listing(atMost: 2) == nil)
        #expect(folder.directory.listing(atMost: 3) != nil)
        #expect(DownloadDirectory(path: FilePath(folder.path("a"))).listing(atMost: 10) == nil)
        // A missing folder lacks everything, and is not made.
        let missing = DownloadDirectory(path: FilePath(folder.path("sub/folder")))
        #expect(missing.listing(atMost: 1)?.lacksAll(FileNaming.derived.candidates(for: origin)) == true)
        #expect(try folder.names == ["a", "b", "c"])
    }
}
