import Glibc
import HTTPSyntax
import PartialFiles
import TestSupport
import Testing

/// Which names a download gets, depending on the files that are there.
@Suite(.takesTurns) struct NameSearchTests {
    private static let origin = "http://host/x.zip"
    private static let hash = "x-" + hashOfOrigin + ".zip"
    private static var hashOfOrigin: String { (try? HTTPURL(origin)).map { URLHash($0).digits8 } ?? "" }
    private static let other = [RecordField.origin: "http://other/x.zip", .total: "5"]
    private static let own = [
        RecordField.origin: origin, .total: "5", .durable: "0 11111111-2222-3333-4444-555555555555",
    ]

    private func opened(
        of origin: String = origin,
        naming: FileNaming = .derived,
        replacesExisting: Bool = false,
        in folder: DownloadFolder
    ) throws -> FileLocation {
        try folder.directory.partial(of: try url(origin), naming: naming, replacesExisting: replacesExisting).location
    }

    @Test func anEmptyFolderGivesTheNameOfTheURL() throws {
        let folder = try DownloadFolder()
        let place = try opened(in: folder)
        #expect(place.finalPath == folder.path("x.zip"))
        #expect(place.partialPath == folder.path("x.zip.part"))
    }

    /// A file that has the final name, and the name that the download gets.
    @Test(arguments: [
        ("another's finished file", other, "12345", hash),
        ("a stranger's file", [:], "12345", hash),
        ("a stranger's empty file", [:], "", hash),
        // curl and wget write this attribute, too.
        ("a file with our origin alone", [.origin: origin], "12345", hash),
        ("our file, cut short by its user", own, "123", hash),
        ("our file, grown", own, "1234567", hash),
    ])
    func theFinalNameIsUsedOnlyIfNothingIsLost(
        what: String,
        fields: [RecordField: String],
        content: String,
        name: String
    ) throws {
        let folder = try DownloadFolder()
        try folder.leave(content, in: "x.zip", fields)
        #expect(try opened(in: folder).finalName == name, "\(what)")

        let explicit = FileNaming.explicit(try FileName(explicit: "x.zip"))
        if name == "x.zip" {
            #expect(try opened(naming: explicit, in: folder).finalName == name, "\(what)")
        } else {
            let error = #expect(throws: FileSystemError.self, "\(what)") {
                try opened(naming: explicit, in: folder)
            }
            #expect(error?.kind == .alreadyExists)
            #expect(error?.path == folder.path("x.zip"))
            // Unless the caller allows it.
            let place = try opened(naming: explicit, replacesExisting: true, in: folder)
            #expect(place.finalName == "x.zip", "\(what)")
        }
        #expect(try folder.read("x.zip") == content)
    }

    @Test(arguments: [true, false])
    func aFolderOrPipeIsNeverReplaced(isFolder: Bool) throws {
        let folder = try DownloadFolder()
        #expect((isFolder ? mkdir(folder.path("x.zip"), 0o755) : mkfifo(folder.path("x.zip"), 0o644)) == 0)
        #expect(try opened(replacesExisting: true, in: folder).finalName == Self.hash)
        let error = #expect(throws: FileSystemError.self) {
            let explicit = FileNaming.explicit(try FileName(explicit: "x.zip"))
            _ = try opened(naming: explicit, replacesExisting: true, in: folder)
        }
        #expect(error?.kind == .alreadyExists)
    }

    @Test(arguments: RecordKeeping.allCases)
    func aFinishedFileIsTheAnswer(keeping: RecordKeeping) throws {
        let folder = try DownloadFolder(keeping)
        let origin = try url(Self.origin)
        try folder.directory.fetch(origin, "12345")
        guard case .finished(let file) = try folder.directory.open(for: origin, naming: .derived) else {
            Issue.record("the finished file was not found")
            return
        }
        #expect(file.path == folder.path("x.zip"))
        #expect(file.name == "x.zip")
        #expect(file.size == 5)
    }

    /// A file that has the partial name, and the partial name that the download gets.
    @Test(arguments: [
        ("our bytes", own, "123", "x.zip.part"),
        ("our empty file", [.origin: origin], "", "x.zip.part"),
        ("an empty file without a record", [:], "", "x.zip.part"),
        ("a stranger's bytes", [:], "123", "x.zip.\(hashOfOrigin).part"),
        ("bytes with our origin alone", [.origin: origin], "123", "x.zip.\(hashOfOrigin).part"),
        ("another's bytes", other, "123", "\(hash).part"),
    ])
    func thePartialNameIsUsedOnlyIfNothingIsLost(
        what: String,
        fields: [RecordField: String],
        content: String,
        name: String
    ) throws {
        let folder = try DownloadFolder()
        try folder.leave(content, in: "x.zip.part", fields)
        #expect(try opened(in: folder).partialName == name, "\(what)")
        #expect(try folder.read("x.zip.part") == content)
    }

    @Test func aCallersNameIsKeptEvenIfAnotherDownloadIsFetchingIt() throws {
        let folder = try DownloadFolder()
        try folder.leave("123", in: "x.zip.part", Self.other)
        let explicit = FileNaming.explicit(try FileName(explicit: "x.zip"))
        let place = try opened(naming: explicit, in: folder)
        #expect(place.finalName == "x.zip")
        #expect(place.partialName == "x.zip.\(Self.hashOfOrigin).part")
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
        let origin = try url(Self.origin)
        #expect(try opened(in: folder).partialName == "x.zip.\(Self.hashOfOrigin).part")
        try folder.directory.fetch(origin, "12345")
        #expect(try folder.read("x.zip") == "12345")
        #expect(folder.kind(of: "x.zip.part") == kind)
        #expect(try folder.read("victim") == "123")
    }

    @Test func aNameThatIsTakenInThisProcessIsSkipped() throws {
        let folder = try DownloadFolder(.namedFiles)
        let origin = try url(Self.origin)
        let file = try folder.directory.open(for: origin, naming: .derived) { $0 == "x.zip" }.partial
        #expect(file.location.finalName == Self.hash)
        #expect(try folder.names == [file.location.partialName])
    }

    @Test func aCallersNameThatIsTakenInThisProcessIsAnError() throws {
        let folder = try DownloadFolder()
        let naming = FileNaming.explicit(try FileName(explicit: "x.zip"))
        let error = #expect(throws: FileSystemError.self) {
            _ = try folder.directory.open(for: try url(Self.origin), naming: naming) { _ in true }
        }
        #expect(error?.kind == .alreadyExists)
    }

    @Test func itIsAnErrorIfAllNamesAreTaken() throws {
        let folder = try DownloadFolder()
        let origin = try url(Self.origin)
        for digits in [URLHash(origin).digits8, URLHash(origin).digits16] {
            try folder.write("a stranger's", to: "x-\(digits).zip")
        }
        try folder.write("a stranger's", to: "x.zip")
        let error = #expect(throws: FileSystemError.self) { try opened(in: folder) }
        #expect(error?.kind == .alreadyExists)
    }

    @Test func theLongHashIsUsedIfTheShortOneCollides() throws {
        let folder = try DownloadFolder()
        let origin = try url(Self.origin)
        try folder.write("a stranger's", to: "x.zip")
        try folder.leave("123", in: Self.hash + ".part", Self.other)
        #expect(try opened(in: folder).finalName == "x-\(URLHash(origin).digits16).zip")
    }

    @Test func earlierBytesAreFoundEvenIfABetterNameIsFreeNow() throws {
        let folder = try DownloadFolder()
        try folder.leave("123", in: Self.hash + ".part", Self.own)
        #expect(try opened(in: folder).finalName == Self.hash)
        try folder.leave("12345", in: Self.hash, Self.own)
        #expect(try folder.directory.finishedFile(of: try url(Self.origin), naming: .derived)?.name == Self.hash)
    }
}
