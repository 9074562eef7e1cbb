import Glibc
import SpateFilePaths
import SpateHTTPResumption
import SpatePartialFiles
import SpateTestSupport
import Testing

@Suite(.takesTurns) struct FolderListingTests {
    /// A name with sixteen digits is used only beside one with eight.
    @Test(arguments: [true, false])
    func aClaimIsNewIfNoneOfItsNamesIsThere(hasListing: Bool) throws {
        let folder = try DownloadFolder()
        let other = folder.directory.claim(try url("http://host/other.zip"), .derived)
        let isNew = { (claim: FileClaim) in
            let listing = folder.directory.listing(atMost: 1)
            #expect(listing != nil)
            return folder.directory.isNew(claim, in: hasListing ? listing : nil)
        }
        for address in ["http://host/file.zip", "http://host/file.zip?page=2"] {
            let claim = folder.directory.claim(try url(address), .derived)
            let names = claim.names.prefix(claim.names.hashTurn + 1)
            #expect(isNew(claim))
            for known in names.flatMap({ [$0.path, $0.partial, $0.partial(of: claim.origin)] }).map(\.text) {
                try folder.write("", to: known)
                #expect(!isNew(claim) && isNew(other), "\(known)")
                #expect(unlink(folder.path(known)) == 0)
            }
        }
    }

    @Test(arguments: [FileNaming.derived, .stated])
    func inAMissingFolderAllIsNewAndOfAFileNothingIsKnown(naming: FileNaming) throws {
        let folder = try DownloadFolder()
        try folder.write("", to: "a")
        let missing = DownloadDirectory(path: FilePath(folder.path("sub/folder")))
        #expect(missing.isNew(missing.claim(origin, naming), in: nil))
        let file = DownloadDirectory(path: FilePath(folder.path("a")))
        #expect(!file.isNew(file.claim(origin, naming), in: nil))
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
        let listing = try #require(missing.listing(atMost: 1))
        #expect(missing.isNew(missing.claim(origin, .derived), in: listing))
        #expect(try folder.names == ["a", "b", "c"])
    }
}
