import Glibc
import SpateFilePaths
import SpateFileSystemCalls
import SpateHTTPSyntax
import SpatePartialFiles
import SpateTestSupport
import Testing

/// Which names a download gets, depending on the files that are there.
@Suite(.takesTurns) struct NameSearchTests {
    private static let digits = URLHash(origin).digits8
    private static let hash = "x-\(digits).zip"
    private static let other = [RecordField.origin: "http://other/x.zip", .total: "5"]
    private static let own = [RecordField.origin: origin.text, .total: "5", .durable: "0 \(GappedFile.boot)"]

    private func opened(
        naming: FileNaming = .derived,
        replacesExisting: Bool = false,
        in folder: DownloadFolder
    ) throws -> FileLocation {
        try folder.directory.partial(naming: naming, replacesExisting: replacesExisting).location
    }

    @Test(arguments: [
        ("another's finished file", other, "12345"),
        ("a stranger's file", [:], "12345"),
        ("a stranger's empty file", [:], ""),
        // curl and wget write this attribute, too.
        ("a file with our origin alone", [.origin: origin.text], "12345"),
    ])
    func aFinalNameThatAFileHasIsNotUsed(what: String, fields: [RecordField: String], content: String) throws {
        let folder = try DownloadFolder()
        try folder.leave(content, in: "x.zip", fields)
        #expect(try opened(in: folder).finalName.text == Self.hash, "\(what)")
        let error = failure { try opened(naming: .named("x.zip"), in: folder) }
        #expect(error?.kind == .alreadyExists && error?.path.text == folder.path("x.zip"), "\(what)")
        // Unless the caller allows it.
        let place = try opened(naming: .named("x.zip"), replacesExisting: true, in: folder)
        #expect(try place.finalName == "x.zip" && folder.read("x.zip") == content, "\(what)")
    }

    /// Neither it nor another name, unless the caller allows replacing it.
    @Test(arguments: ["123", "1234567"])
    func theNameOfAChangedFileIsNotUsedAndNoOtherOne(content: String) throws {
        let folder = try DownloadFolder()
        try folder.leave(content, in: "x.zip", Self.own)
        for (naming, replaced) in try [(.derived, .none), (.named("x.zip"), .none), (.derived, .own)]
            as [(FileNaming, ReplacedFiles)]
        {
            let claim = folder.directory.claim(origin, naming)
            let opening = try folder.directory.open(claim, isOfDocument: false, replacing: replaced)
            guard case .changed(let file) = opening else {
                Issue.record("\(naming): \(opening)")
                continue
            }
            #expect(file.isChanged && file.size == Int64(content.utf8.count) && file.total == 5)
        }
        #expect(
            try folder.directory.location(of: folder.claim).text == folder.path("x.zip")
        )
        #expect(try folder.names == ["x.zip"])
        let place = try opened(replacesExisting: true, in: folder)
        #expect(try place.finalName == "x.zip" && folder.read("x.zip") == content)
    }

    /// An earlier version fetched it beside the changed one.
    @Test func aFinishedFileUnderAnotherNameCountsBeforeAChangedOne() throws {
        let folder = try DownloadFolder()
        try folder.leave("123", in: "x.zip", Self.own)
        try folder.leave("12345", in: Self.hash, Self.own)
        guard
            case .finished(let file) = try folder.directory.open(
                folder.claim,
                isOfDocument: false
            )
        else {
            Issue.record("it is not found")
            return
        }
        #expect(file.name.text == Self.hash)
        // What may be replaced is the one that has the better name.
        #expect(try opened(replacesExisting: true, in: folder).finalName == "x.zip")
    }

    @Test(arguments: [true, false])
    func aFolderOrPipeIsNeverReplaced(isFolder: Bool) throws {
        let folder = try DownloadFolder()
        #expect((isFolder ? mkdir(folder.path("x.zip"), 0o755) : mkfifo(folder.path("x.zip"), 0o644)) == 0)
        #expect(try opened(replacesExisting: true, in: folder).finalName.text == Self.hash)
        let error = failure { try opened(naming: .named("x.zip"), replacesExisting: true, in: folder) }
        #expect(error?.kind == .alreadyExists)
    }

    @Test(arguments: RecordKeeping.allCases)
    func aFinishedFileIsTheAnswer(keeping: RecordKeeping) throws {
        let folder = try DownloadFolder(keeping)
        try folder.directory.fetch("12345")
        guard
            case .finished(let file) = try folder.directory.open(
                folder.claim,
                isOfDocument: false
            )
        else {
            Issue.record("the finished file was not found")
            return
        }
        #expect(file.path.text == folder.path("x.zip") && file.name == "x.zip" && file.size == 5)
    }

    /// A file that has the partial name, and the partial name that the download gets.
    @Test(arguments: [
        ("our bytes", own, "123", "x.zip.part"),
        ("our empty file", [.origin: origin.text], "", "x.zip.part"),
        ("an empty file without a record", [:], "", "x.zip.part"),
        ("a stranger's bytes", [:], "123", "x.zip.\(digits).part"),
        ("bytes with our origin alone", [.origin: origin.text], "123", "x.zip.\(digits).part"),
        ("another's bytes", other, "123", "\(hash).part"),
    ])
    func aPartialNameIsUsedOnlyIfNothingIsLost(
        what: String,
        fields: [RecordField: String],
        content: String,
        name: String
    ) throws {
        let folder = try DownloadFolder()
        try folder.leave(content, in: "x.zip.part", fields)
        #expect(try opened(in: folder).partialName.text == name && folder.read("x.zip.part") == content, "\(what)")
    }

    @Test func aCallersNameIsKeptEvenIfAnotherDownloadIsFetchingIt() throws {
        let folder = try DownloadFolder()
        try folder.leave("123", in: "x.zip.part", Self.other)
        let place = try opened(naming: .named("x.zip"), in: folder)
        #expect(place.finalName == "x.zip" && place.partialName == "x.zip.\(Self.digits).part")
    }

    enum Obstacle: CaseIterable {
        case link, danglingLink, pipe, folder, secondName
    }

    @Test(arguments: Obstacle.allCases)
    func whatIsNotARegularFileIsLeftAlone(obstacle: Obstacle) throws {
        let folder = try DownloadFolder()
        let path = folder.path("x.zip.part")
        try folder.leave("123", in: "victim", Self.own)
        switch obstacle {
        case .link: #expect(symlink("victim", path) == 0)
        case .danglingLink: #expect(symlink("nothing", path) == 0)
        case .pipe: #expect(mkfifo(path, 0o644) == 0)
        case .folder: #expect(mkdir(path, 0o755) == 0)
        case .secondName: #expect(link(folder.path("victim"), path) == 0)
        }
        let kind = folder.kind(of: "x.zip.part")
        #expect(try opened(in: folder).partialName == "x.zip.\(Self.digits).part")
        try folder.directory.fetch("12345")
        #expect(try folder.read("x.zip") == "12345" && folder.read("victim") == "123")
        #expect(folder.kind(of: "x.zip.part") == kind)
    }

    @Test func aNameThatIsTakenInThisProcessIsSkippedOrRefused() throws {
        let folder = try DownloadFolder(.namedFiles)
        let file = try folder.directory.open(folder.claim, isOfDocument: false) {
            $0 == "x.zip"
        }
        .partial
        #expect(try file.location.finalName.text == Self.hash && folder.names == [file.location.partialName.text])
        let error = failure {
            try folder.directory.open(folder.directory.claim(origin, .named("x.zip")), isOfDocument: false) { _ in true
            }
        }
        #expect(error?.kind == .alreadyExists)
    }

    @Test func theLongHashIsTheLastChoice() throws {
        let folder = try DownloadFolder()
        let long = "x-\(URLHash(origin).digits16).zip"
        try folder.write("a stranger's", to: "x.zip")
        try folder.leave("123", in: Self.hash + ".part", Self.other)
        #expect(try opened(in: folder).finalName.text == long)
        for name in [Self.hash, long] { try folder.write("a stranger's", to: name) }
        #expect(failure { try opened(in: folder) }?.kind == .alreadyExists)
    }

    @Test func earlierBytesAreFoundEvenIfABetterNameIsFreeNow() throws {
        let folder = try DownloadFolder()
        try folder.leave("123", in: Self.hash + ".part", Self.own)
        #expect(try opened(in: folder).finalName.text == Self.hash)
        try folder.leave("12345", in: Self.hash, Self.own)
        #expect(try folder.directory.finishedFile()?.name.text == Self.hash)
    }
}
