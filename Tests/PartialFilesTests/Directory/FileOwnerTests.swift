import Glibc
import SpateHTTPResumption
import SpatePartialFiles
import SpateTestSupport
import Testing

@Suite struct FileOwnerTests {
    private let ownership = Ownership(on: RecordKeeping.attributes.platform())

    private func owner(in folder: DownloadFolder) throws -> FileOwner? {
        try folder.seen(folder.keeping).contents().first?.owner
    }

    @Test(arguments: RecordKeeping.allCases)
    func aFileKeepsItsOwnerUntilItIsOpenedOrReleased(keeping: RecordKeeping) throws {
        let folder = try DownloadFolder(keeping)
        let own = try #require(ownership.owner)
        let first = try folder.directory.begun("123", total: 5)
        first.claim(for: own)
        // Not before it is closed: its writer knows better.
        let held = try #require(try folder.directory.contents().first)
        folder.directory.release(folder.claim, from: own)
        #expect(try owner(in: folder) == own)
        first.close()

        folder.directory.release(folder.claim, from: own)
        #expect(try owner(in: folder) == nil)
        folder.directory.claim(held, for: own)
        #expect(try owner(in: folder) == own)
        let second = try folder.directory.partial()
        #expect(try owner(in: folder) == nil)
        #expect(second.held.length == 3)
        try second.append("45")
        try second.finish()
        #expect(try folder.directory.contents().map(\.owner) == [nil])
    }

    @Test(arguments: RecordKeeping.allCases) func eachPartIsReleased(keeping: RecordKeeping) throws {
        let folder = try DownloadFolder(keeping)
        let own = try #require(ownership.owner)
        // A stranger has the usual name.
        try folder.write("a stranger's", to: "x.zip.part")
        for isOfMirror in [false, true] {
            let claim = folder.claim
            let file = try folder.directory.open(claim, isOfDocument: false, isOfMirror: isOfMirror).partial
            try file.begin(total: 9, validator: nil, encoding: nil)
            try file.append("123")
            file.claim(for: own)
            file.close()
        }
        let owners = { try folder.directory.contents().map(\.owner) }
        #expect(try owners() == [own, own])
        folder.directory.release(folder.claim, from: own)
        #expect(try owners() == [nil, nil])
    }

    @Test func anOwnerThatLivesIsNotReplaced() throws {
        let folder = try DownloadFolder()
        try folder.directory.begun("123").close()
        let file = try #require(try folder.directory.contents().first)
        let (own, others) = (try #require(ownership.owner), Ownership(on: folder.directory.platform))
        let other = try #require(others.owner)
        folder.directory.claim(file, for: other)
        folder.directory.claim(file, for: own)
        folder.directory.release(folder.claim, from: own)
        #expect(try owner(in: folder) == other)
        others.end()
        folder.directory.claim(file, for: own)
        #expect(try owner(in: folder) == own)
    }

    @Test func nobodyOwnsAStrangersFile() throws {
        let folder = try DownloadFolder()
        try folder.directory.begun("123").close()
        let file = try #require(try folder.directory.contents().first)
        try folder.write("a stranger's", to: "other")
        #expect(rename(folder.path("other"), folder.path("x.zip.part")) == 0)
        folder.directory.claim(file, for: try #require(ownership.owner))
        #expect(try folder.attribute(.owner, of: "x.zip.part") == nil)
    }
}
