import Glibc
import SpateFilePaths
import SpateFileSystemCalls
import SpateHTTPResumption
import SpateHTTPSyntax
import SpateLocking
import SpatePartialFiles
import SpateTestSupport
import Testing

/// Ranges that a partial file takes from another file.
@Suite(.takesTurns) struct TakingTests {
    /// A file of 20 bytes, and another with other bytes.
    private func source(_ content: String = GappedFile.whole.uppercased(), in folder: DownloadFolder) throws -> OpenFile
    {
        try folder.write(content, to: "source")
        return try OpenFolder(path: FilePath(folder.path), on: .native).open("source", O_RDONLY)
    }

    private func ranges(_ text: String) throws -> FilledRanges { try #require(FilledRanges(text)) }

    @Test(arguments: RecordKeeping.allCases)
    func onlyTheMissingPartIsTaken(keeping: RecordKeeping) throws {
        let folder = try DownloadFolder(keeping)
        let source = try source(in: folder)
        do {
            let file = try GappedFile.made(in: folder.directory)
            try file.write("ij", at: 8)
            try file.sync()
            try file.take(try ranges("2-6 7-11 15-20"), from: source)
            #expect(file.filled.text == "0-6 7-11 15-20" && file.durable.text == "0-4 8-10")
            #expect(try folder.read(GappedFile.name) == "abcdEF\0HijK\0\0\0\0PQRST")
        }
        do {
            let again = try folder.directory.partial()
            #expect(again.filled.text == "0-6 7-11 15-20" && again.durable.text == "0-4 8-10")
        }
        // Until the next sync, a power cut takes it.
        let later = folder.seen(keeping) { $0.boot = RecordKeeping.otherBoot }
        #expect(try later.partial().filled.text == "0-4 8-10")
    }

    @Test func theRecordIsWrittenOnce() throws {
        let notes = Locked<[String]>([])
        let folder = try DownloadFolder(.namedFiles) { $0.noteAttributes(in: notes) }
        let file = try GappedFile.made(in: folder.directory)
        _ = notes.taken()
        try file.take(try ranges("5-6 7-8 9-10 11-12 13-14"), from: try source(in: folder))
        #expect(notes.taken() == ["filled 0-4 5-6 7-8 9-10 11-12 13-14"])
    }

    @Test func aWholeFileIsTakenAndPublished() throws {
        let folder = try DownloadFolder()
        let file = try folder.directory.partial()
        try file.begin(total: 20, validator: nil, encoding: nil)
        try file.take(FilledRanges(upTo: 20), from: try source(in: folder))
        try file.finish()
        #expect(try folder.read("x.zip") == GappedFile.whole.uppercased())
    }

    @Test func whatWasCopiedBeforeAStopIsNoted() throws {
        let folder = try DownloadFolder()
        let file = try GappedFile.made(in: folder.directory)
        var turns = 0
        try file.take(try ranges("6-8 10-12 14-16"), from: try source(in: folder)) {
            turns += 1
            return turns <= 2
        }
        #expect(file.filled.text == "0-4 6-8 10-12")
        #expect(try folder.attribute(.filled, of: GappedFile.name) == "0-4 6-8 10-12")
    }

    @Test func afterAnErrorNothingIsNoted() throws {
        let folder = try DownloadFolder { $0.largestFile = { 20 } }
        let file = try GappedFile.made(in: folder.directory)
        let short = try source("ABCDEFGHIJ", in: folder)
        #expect(failure { try file.take(try ranges("6-8 9-12"), from: short) }?.code == EIO)
        #expect(failure { try file.take(try ranges("6-8 9-21"), from: short) }?.kind == .diskFull)
        #expect(file.filled.text == "0-4")
    }

    @Test func aClosedFileTakesNothing() throws {
        let folder = try DownloadFolder()
        let file = try GappedFile.made(in: folder.directory)
        file.close()
        try file.take(try ranges("6-8"), from: try source(in: folder))
        #expect(file.filled.text == "0-4")
        #expect(try folder.directory.partial().filled.text == "0-4")
    }

    /// When it needs a name, and cannot get one, it becomes a copy with a name.
    @Test func whatIsTakenIsInTheCopy() throws {
        let folder = try DownloadFolder { $0.linkUnnamed = { _, _, _ in failing(EPERM) } }
        let file = try folder.directory.partial()
        try file.begin(total: 20, validator: .etag("\"v1\""), encoding: nil)
        #expect(try file.allowGaps())
        let source = try source(in: folder)
        // Another thread names it while it takes.
        try file.take(try ranges("0-2 6-8"), from: source) {
            _ = try? file.write("st", at: 18)
            return true
        }
        #expect(try folder.read(GappedFile.name).hasPrefix("AB\0\0\0\0GH"))
        #expect(file.filled.ranges == [0..<2, 6..<8, 18..<20])
    }
}
