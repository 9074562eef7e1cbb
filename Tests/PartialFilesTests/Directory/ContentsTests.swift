import Glibc
import SpateFilePaths
import SpateFileSystemCalls
import SpateHTTPResumption
import SpatePartialFiles
import SpateTestSupport
import Testing

@Suite(.takesTurns) struct ContentsTests {
    @Test(arguments: RecordKeeping.allCases)
    func onlySpatesFilesAreListed(keeping: RecordKeeping) throws {
        let folder = try DownloadFolder(keeping)
        let finished = try url("http://host/finished.zip")
        try folder.directory.fetch(finished, "12345")
        let started = try url("http://host/started.zip")
        let file = try folder.directory.begun(started, "123", total: 10)

        try folder.write("a stranger's", to: "stranger.zip")
        try folder.write("a stranger's", to: "stranger.zip.part")
        try folder.write("", to: "empty.part")
        #expect(mkdir(folder.path("folder.part"), 0o755) == 0)
        #expect(mkfifo(folder.path("pipe.part"), 0o644) == 0)
        #expect(symlink("finished.zip", folder.path("link.zip")) == 0)

        let files = try folder.directory.contents().sorted { $0.name < $1.name }
        #expect(files.map(\.name) == ["finished.zip", "started.zip.part"])
        #expect(files.map(\.finalName) == ["finished.zip", "started.zip"])
        #expect(files.map(\.origin) == [finished, started])
        #expect(files.map(\.size) == [5, 3])
        #expect(files.map(\.total) == [5, 10])
        #expect(files.map(\.isFinished) == [true, false])
        #expect(files.map(\.isInUse) == [false, true])
        file.close()
        #expect(try folder.directory.contents().allSatisfy { !$0.isInUse })
    }

    /// The listed size is what a resume keeps.
    @Test func aPartialOfAnotherBootCountsUpToItsMark() throws {
        let folder = try DownloadFolder()
        let file = try folder.directory.begun(try url("http://host/x"), "123")
        try file.sync()
        try file.append("4567")
        let later = folder.seen { $0.boot = RecordKeeping.otherBoot }
        #expect(try folder.directory.contents().first?.size == 7)
        #expect(try later.contents().first?.size == 3)
    }

    @Test(arguments: [
        [RecordField.origin: "ftp://host/x", .total: "5"],
        [.origin: "HTTP://HOST/x", .total: "5"],
        [.origin: "http://user:secret@host/x", .total: "5"],
        [.origin: "not a URL", .total: "5"],
        [.origin: "http://host/x"],
        [.origin: "http://host/x", .total: "-5"],
        [.total: "5"],
    ])
    func aRecordThatSpateDidNotWriteDoesNotCount(fields: [RecordField: String]) throws {
        let folder = try DownloadFolder()
        try folder.leave("12345", in: "x", fields)
        #expect(try folder.directory.contents() == [])
    }

    @Test func theNamingOfAListedFileLeadsToItAgain() throws {
        let folder = try DownloadFolder()
        try folder.write("a stranger's", to: "x.zip")
        try folder.write("a stranger's", to: "named.zip.part")
        let derived = origin
        let named = try url("http://host/y.zip")
        let first = try folder.directory.begun(derived, "12345")
        let second = try folder.directory.begun(named, "12345", naming: .named("named.zip"))
        let names = [first.location.partialName, second.location.partialName]
        for file in [first, second] { file.close() }
        for file in try folder.directory.contents() {
            #expect(names.contains(file.name))
            let again = try folder.directory.partial(of: file.origin, naming: file.claim.naming)
            #expect(again.location.partialName == file.name)
            #expect(again.location.finalName == file.finalName)
            #expect(again.held.length == 5)
        }
    }

    @Test func aNameThatIsNotUTF8IsNotSpates() throws {
        let folder = try DownloadFolder()
        let path = Array(folder.path("").utf8CString.dropLast()) + [-1, 0]
        let descriptor = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0o644)
        #expect(descriptor >= 0)
        close(descriptor)
        #expect(try folder.directory.contents() == [])
    }
}
