import Glibc
import SpateExtendedAttributes
import SpateFilePaths
import SpateFileSystemCalls
import SpateHTTPResumption
import SpateHTTPSyntax
import SpatePartialFiles
import SpateTestSupport
import Testing

/// A finished file that is checked for an update, and what replaces it.
@Suite(.takesTurns) struct UpdatedFileTests {
    private static let weakTag = "W/\"w1\""

    private func finish(
        _ content: String,
        in folder: DownloadFolder,
        validator: EntityValidator? = nil,
        weakTag: String? = nil,
        time: HTTPDate? = nil
    ) throws {
        guard case .partial(let file) = try open(folder, .own) else { return }
        let total = Int64(content.utf8.count)
        try file.begin(total: total, validator: validator, encoding: nil, weakTag: weakTag, lastModified: time)
        try file.append(content)
        _ = try file.finish(replacing: false)
    }

    private func open(_ folder: DownloadFolder, _ replaced: ReplacedFiles) throws -> DownloadDirectory.Opening {
        try folder.directory.open(folder.claim, isOfDocument: false, replacing: replaced)
    }

    private func finished(in folder: DownloadFolder) throws -> StoredFile? {
        try folder.directory.finishedFile()
    }

    @Test(arguments: RecordKeeping.allCases)
    func aFinishedFileKnowsWhatToAskFor(keeping: RecordKeeping) throws {
        let date = "Sun, 06 Nov 1994 08:49:37 GMT"
        let cases: [(EntityValidator?, String?, FinishedEntity.Condition?)] = [
            (.etag("\"v1\""), nil, .entityTag("\"v1\"")),
            (.lastModified(date), nil, .date(date)),
            (.lastModified(date), Self.weakTag, .entityTag(Self.weakTag)),
            (nil, Self.weakTag, .entityTag(Self.weakTag)),
            (.weakTag("W/\"v1\""), nil, nil),
            (nil, nil, nil),
        ]
        for (validator, weakTag, condition) in cases {
            let folder = try DownloadFolder(keeping)
            try finish("12345", in: folder, validator: validator, weakTag: weakTag)
            let file = try #require(try finished(in: folder))
            #expect(file.entity?.condition == condition && file.entity?.size ?? 5 == 5)
            #expect(try folder.directory.finishedFile() == file)
        }
    }

    /// A part that somebody renamed: a mirror's validator says nothing of the origin, nor that of joined bytes.
    @Test(arguments: [(RecordField.mirror, "0123456789abcdef"), (.joined, "yes")])
    func theOriginIsNotAskedByAnothersValidator(field: RecordField, text: String) throws {
        let folder = try DownloadFolder()
        let fields: [RecordField: String] = [.origin: origin.text, .total: "5", .validator: "\"v1\""]
        try folder.leave("12345", in: "x.zip", fields)
        #expect(try finished(in: folder)?.entity?.condition == .entityTag("\"v1\""))
        try folder.withAttributes(of: "x.zip") { try $0.set(field.rawValue, to: text) }
        let file = try #require(try folder.seen().finishedFile())
        #expect(file.entity?.condition == nil)
    }

    @Test(arguments: RecordKeeping.allCases)
    func theOldFileStaysUntilTheNewOneIsPublished(keeping: RecordKeeping) throws {
        let folder = try DownloadFolder(keeping)
        try finish("first", in: folder, validator: .etag("\"v1\""))
        let old = try #require(try finished(in: folder))
        guard case .partial(let file) = try open(folder, .own) else { return #expect(Bool(false)) }
        try file.begin(total: 3, validator: .etag("\"v2\""), encoding: nil)
        try file.append("new")
        #expect(try finished(in: folder) == old && folder.read("x.zip") == "first")
        try file.prepareToPublish(size: 3)
        #expect(try finished(in: folder) == old && folder.directory.finishedFile() == old)
        _ = try file.publish(replacing: .none)
        #expect(try folder.read("x.zip") == "new" && folder.directory.finishedFile() != old)
        #expect(try finished(in: folder)?.entity?.condition == .entityTag("\"v2\""))
        #expect(try folder.names.filter { !$0.hasPrefix(".") } == ["x.zip"])
    }

    @Test func aRunThatIsStoppedRightAfterTheRenameLeavesAFileThatIsKnown() throws {
        let folder = try DownloadFolder(.sidecar)
        try finish("first", in: folder, validator: .etag("\"v1\""))
        let old = try folder.read(".x.zip.spate")
        try finish("new", in: folder, validator: .etag("\"v2\""))
        #expect(rename(folder.path(".x.zip.spate"), folder.path(".x.zip.spate.tmp")) == 0)
        try folder.write(old, to: ".x.zip.spate")

        let file = try #require(try finished(in: folder))
        #expect(file.entity?.condition == .entityTag("\"v2\""))
        folder.directory.removeLeftoverSidecars(beside: file)
        #expect(try folder.names == [".x.zip.spate", "x.zip"])
        #expect(try finished(in: folder) == file)
        // Nothing is left to do, and nothing is done.
        folder.directory.removeLeftoverSidecars(beside: file)
        #expect(try finished(in: folder) == file)
    }

    @Test func aSidecarThatWasOnlyPreparedIsNotTheOldFiles() throws {
        let folder = try DownloadFolder(.sidecar)
        try finish("first", in: folder, validator: .etag("\"v1\""))
        guard case .partial(let file) = try open(folder, .own) else { return #expect(Bool(false)) }
        try file.begin(total: 5, validator: .etag("\"v2\""), encoding: nil)
        try file.append("other")
        try file.prepareToPublish(size: 5)
        let old = try #require(try finished(in: folder))
        #expect(old.entity?.condition == .entityTag("\"v1\""))
        folder.directory.removeLeftoverSidecars(beside: old)
        _ = try file.publish(replacing: .none)
        #expect(try finished(in: folder)?.entity?.condition == .entityTag("\"v2\""))
    }

    @Test(arguments: RecordKeeping.allCases)
    func aFileGetsTheTimeThatItIsToHave(keeping: RecordKeeping) throws {
        let folder = try DownloadFolder(keeping)
        try finish("12345", in: folder, validator: .etag("\"v1\""), time: HTTPDate(secondsSince1970: 1_000_000_000))
        var status = stat()
        #expect(stat(folder.path("x.zip"), &status) == 0 && status.st_mtim.tv_sec == 1_000_000_000)
        // A sidecar belongs to the file of that time.
        #expect(try finished(in: folder)?.entity?.condition == .entityTag("\"v1\""))
        if keeping == .attributes { #expect(try folder.attribute(.lastModified, of: "x.zip") == nil) }
    }

    @Test func aFileIsFoundByItsNameAlone() throws {
        let folder = try DownloadFolder()
        #expect(try folder.directory.anyFile(folder.claim) == nil)
        #expect(symlink("loop", folder.path("loop")) == 0 && symlink("loop", folder.path("x.zip")) == 0)
        #expect(try folder.directory.anyFile(folder.claim) == nil)
        #expect(unlink(folder.path("x.zip")) == 0)
        try folder.write("a stranger's", to: "target")
        #expect(symlink("target", folder.path("x.zip")) == 0)
        let file = try #require(try folder.directory.anyFile(folder.claim))
        #expect(file.isStranger && file.size == 12 && file.path.text == folder.path("x.zip") && file.entity == nil)
        _ = try folder.directory.open(file)
        try folder.write("changed", to: "target")
        #expect(throws: FileSystemError.self) { _ = try folder.directory.open(file) }
        #expect(unlink(folder.path("x.zip")) == 0 && mkdir(folder.path("x.zip"), 0o777) == 0)
        #expect(try folder.directory.anyFile(folder.claim) == nil)
    }
}
