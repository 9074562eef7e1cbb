import Glibc
import SpateFileSystemCalls
import SpateHTTPResumption
import SpatePartialFiles
import SpateTestSupport
import Testing

@Suite(.takesTurns) struct DeleteTests {
    @Test(arguments: RecordKeeping.allCases)
    func theFinishedAndThePartialFileGoWithTheirSidecars(keeping: RecordKeeping) throws {
        let folder = try DownloadFolder(keeping)
        try folder.directory.fetch("12345")
        let update = try folder.directory.partial(replacesExisting: true)
        try update.begin(total: 5, validator: nil, encoding: nil)
        try update.append("1")
        update.close()
        #expect(try folder.names.filter { !$0.hasPrefix(".") } == ["x.zip", "x.zip.part"])
        try folder.directory.delete()
        #expect(try folder.names == [])
        #expect(throws: Never.self) { try folder.directory.delete() }
    }

    /// A URL may be deleted and enqueued again while the first download still writes.
    @Test(arguments: RecordKeeping.allCases)
    func theSuccessorOfADeletedDownloadIsWhole(keeping: RecordKeeping) throws {
        let folder = try DownloadFolder(keeping)
        let first = try folder.directory.begun("old", total: 5)
        try folder.directory.delete(folder.claim) { $0 == origin ? first : nil }
        #expect(try folder.names == [])

        let second = try folder.directory.begun("ne", total: 5)
        try first.sync()
        try first.begin(total: 5, validator: .etag("\"old\""), encoding: nil)
        try first.append("er")
        #expect(failure { try first.finish(replacing: true) }?.kind == .changed)
        try first.delete()
        first.close()
        second.close()

        let third = try folder.directory.partial()
        #expect(third.held == HeldBytes(length: 2, total: 5))
        try third.append("wer")
        try third.finish()
        #expect(try folder.read("x.zip") == "newer")
    }

    @Test(arguments: [
        ("another's file", [RecordField.origin: "http://other/x.zip", .total: "5"]),
        ("a stranger's file", [:]),
        ("a file that another program fetched", [.origin: "http://host/x.zip"]),
    ])
    func aFileIsDeletedOnlyIfItsRecordProvesThatItIsOurs(what: String, fields: [RecordField: String]) throws {
        let folder = try DownloadFolder()
        for name in ["x.zip", "x.zip.part"] { try folder.leave("12345", in: name, fields) }
        try folder.directory.delete()
        #expect(try folder.names == ["x.zip", "x.zip.part"], "\(what)")
    }

    @Test func aFileThatAnotherDownloadIsWritingIsRefusedAndTheOthersGo() throws {
        let folder = try DownloadFolder()
        let writer = try folder.seen().begun("123")
        let closed = try folder.directory.begun(try url("http://host/y.zip"))
        closed.close()
        try folder.directory.fetch("12345", naming: .named("named.zip"))
        for delete in [
            { try folder.directory.delete() },
            // An own file that is closed proves nothing.
            { try folder.directory.delete(folder.claim) { _ in closed } },
            { if let error = try folder.directory.deleteAll(of: [origin])[origin] { throw error } },
            { try folder.directory.delete(folder.directory.contents()) },
        ] {
            #expect(#expect(throws: FileSystemError.self) { try delete() }?.kind == .inUse)
        }
        #expect(try folder.names == ["x.zip.part"])
        try writer.append("45")
        #expect(writer.held.length == 5)
        writer.close()
        #expect(try folder.directory.deleteAll(of: [origin]) == [:])
        #expect(try folder.names == [])
    }

    @Test func aListedFileThatWasReplacedIsNotDeleted() throws {
        let folder = try DownloadFolder()
        try folder.directory.fetch("12345")
        let file = try #require(try folder.directory.contents().first)
        #expect(unlink(folder.path("x.zip")) == 0)
        try folder.write("54321", to: "x.zip")
        try folder.directory.delete([file])
        #expect(try folder.names == ["x.zip"])
    }

    /// Only its name links a sidecar to the file, so it may be ours, edited.
    @Test func aFileThatReplacedOursBesideASidecarIsNotDeleted() throws {
        let folder = try DownloadFolder(.sidecar)
        try folder.directory.fetch("12345")
        #expect(unlink(folder.path("x.zip")) == 0)
        try folder.write("54321", to: "x.zip")
        var times = [timespec(tv_sec: 1_000_000, tv_nsec: 0), timespec(tv_sec: 1_000_000, tv_nsec: 0)]
        #expect(utimensat(AT_FDCWD, folder.path("x.zip"), &times, 0) == 0)
        #expect(try folder.directory.contents().map(\.isChanged) == [true])
        #expect(failure { try folder.directory.delete() }?.kind == .changed)
        #expect(try folder.read("x.zip") == "54321")
    }

    @Test func deletingThroughThePartialFileLeavesASuccessorAlone() throws {
        let folder = try DownloadFolder()
        let file = try folder.directory.partial()
        try file.delete()
        #expect(try folder.names == [])
        try folder.write("a stranger's", to: "x.zip.part")
        try file.delete()
        #expect(try folder.names == ["x.zip.part"])
    }
}
