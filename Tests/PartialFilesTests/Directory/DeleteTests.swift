import Glibc
import HTTPResumption
import PartialFiles
import TestSupport
import Testing

@Suite struct DeleteTests {
    @Test(arguments: RecordKeeping.allCases)
    func aFinishedFileGoesWithAllThatIsBesideIt(keeping: RecordKeeping) throws {
        let folder = try DownloadFolder(keeping)
        let origin = try url("http://host/x.zip")
        try folder.directory.fetch(origin, "12345")
        try folder.directory.delete(origin, naming: .derived)
        #expect(try folder.names == [])
        #expect(throws: Never.self) { try folder.directory.delete(origin, naming: .derived) }
    }

    @Test(arguments: RecordKeeping.allCases)
    func aPartialGoesWhileItIsBeingWritten(keeping: RecordKeeping) throws {
        let folder = try DownloadFolder(keeping)
        let origin = try url("http://host/x.zip")
        let file = try folder.directory.partial(of: origin)
        try file.begin(total: 5, validator: nil, encoding: nil)
        try file.append("123")
        try folder.directory.delete(origin, naming: .derived)
        #expect(try folder.names == [])

        // The writer goes on, and comes to nothing.
        try file.append("45")
        try file.prepareToPublish(size: 5)
        let error = #expect(throws: FileSystemError.self) { try file.publish(replacing: true) }
        #expect(error?.kind == .changed)
        #expect(folder.kind(of: "x.zip") == nil)
    }

    /// Line 93 of the rules.
    @Test(arguments: RecordKeeping.allCases)
    func theSuccessorOfADeletedDownloadIsWholeAndItsOwn(keeping: RecordKeeping) throws {
        let folder = try DownloadFolder(keeping)
        let origin = try url("http://host/x.zip")
        let first = try folder.directory.partial(of: origin)
        try first.begin(total: 5, validator: nil, encoding: nil)
        try first.append("old")
        try folder.directory.delete(origin, naming: .derived)

        let second = try folder.directory.partial(of: origin)
        try second.begin(total: 5, validator: nil, encoding: nil)
        try second.append("ne")
        try first.sync(through: 3)
        try first.begin(total: 5, validator: .etag("\"old\""), encoding: nil)
        try first.append("er")
        try first.prepareToPublish(size: 5)
        let error = #expect(throws: FileSystemError.self) { try first.publish(replacing: true) }
        #expect(error?.kind == .changed)
        try first.delete()
        first.close()
        second.close()

        let third = try folder.directory.partial(of: origin)
        #expect(try third.held == HeldBytes(length: 2, total: 5))
        try third.append("wer")
        try third.prepareToPublish(size: 5)
        _ = try third.publish(replacing: false)
        #expect(try folder.read("x.zip") == "newer")
    }

    @Test(arguments: [
        ("another's file", [RecordField.origin: "http://other/x.zip", .total: "5"]),
        ("a stranger's file", [:]),
        ("a file that another program fetched", [.origin: "http://host/x.zip"]),
    ])
    func onlyWhatTheRecordProvesIsDeleted(what: String, fields: [RecordField: String]) throws {
        let folder = try DownloadFolder()
        for name in ["x.zip", "x.zip.part"] { try folder.leave("12345", in: name, fields) }
        try folder.directory.delete(try url("http://host/x.zip"), naming: .derived)
        #expect(try folder.names == ["x.zip", "x.zip.part"], "\(what)")
    }

    @Test func aFileIsDeletedThoughAnotherNamedIt() throws {
        let folder = try DownloadFolder()
        let origin = try url("http://host/x.zip")
        try folder.directory.fetch(origin, "12345", naming: .explicit(FileName(explicit: "named.zip")))
        try folder.directory.fetch(try url("http://host/y.zip"), "12345")
        try folder.directory.delete(origin, naming: .derived)
        #expect(try folder.names == ["y.zip"])
    }

    @Test func partialAndFinishedFileBothGo() throws {
        let folder = try DownloadFolder()
        let origin = try url("http://host/x.zip")
        try folder.directory.fetch(origin, "12345")
        let file = try folder.directory.partial(of: origin, replacesExisting: true)
        try file.begin(total: 5, validator: nil, encoding: nil)
        try file.append("1")
        #expect(try folder.names == ["x.zip", "x.zip.part"])
        try folder.directory.delete(origin, naming: .derived)
        #expect(try folder.names == [])
    }

    @Test func aListedFileThatSomebodyReplacedIsNotDeleted() throws {
        let folder = try DownloadFolder()
        try folder.directory.fetch(try url("http://host/x.zip"), "12345")
        let file = try #require(try folder.directory.contents().first)
        #expect(unlink(folder.path("x.zip")) == 0)
        try folder.write("54321", to: "x.zip")
        try folder.directory.delete(file)
        #expect(try folder.names == ["x.zip"])
    }

    /// A sidecar has no bond with the file but its name.
    @Test func aFileThatReplacedOursBesideASidecarIsNotDeleted() throws {
        let folder = try DownloadFolder(.sidecar)
        let origin = try url("http://host/x.zip")
        try folder.directory.fetch(origin, "12345")
        #expect(unlink(folder.path("x.zip")) == 0)
        try folder.write("54321", to: "x.zip")
        var times = [timespec(tv_sec: 1_000_000, tv_nsec: 0), timespec(tv_sec: 1_000_000, tv_nsec: 0)]
        #expect(utimensat(AT_FDCWD, folder.path("x.zip"), &times, 0) == 0)
        #expect(try folder.directory.contents() == [])
        try folder.directory.delete(origin, naming: .derived)
        #expect(try folder.read("x.zip") == "54321")
    }

    @Test func deletingThroughThePartialFileLeavesASuccessorAlone() throws {
        let folder = try DownloadFolder()
        let file = try folder.directory.partial(of: try url("http://host/x.zip"))
        try file.delete()
        #expect(try folder.names == [])
        try folder.write("a stranger's", to: "x.zip.part")
        try file.delete()
        #expect(try folder.names == ["x.zip.part"])
    }
}
