import Glibc
import SpateExtendedAttributes
import SpateFilePaths
import SpateFileSystemCalls
import SpateHTTPResumption
import SpateHTTPSyntax
import SpatePartialFiles
import SpateTestSupport
import Testing

/// What a later run keeps of a partial file.
@Suite(.takesTurns) struct OpeningTests {
    private static let boot = "11111111-2222-3333-4444-555555555555"
    private static let otherBoot = "99999999-2222-3333-4444-555555555555"

    @Test(arguments: RecordKeeping.allCases)
    func theNextRunKnowsTheRecordAndTheBytes(keeping: RecordKeeping) throws {
        let folder = try DownloadFolder(keeping)
        let file = try folder.directory.partial()
        #expect(file.held == HeldBytes.none)
        try file.begin(total: 10, validator: .etag("\"v1\""), encoding: "gzip")
        try file.append("12345")
        let held = HeldBytes(length: 5, total: 10, validator: .etag("\"v1\""), encoding: "gzip")
        #expect(file.held == held)
        file.close()
        #expect(try folder.seen(keeping).partial().held == held)
        #expect(try folder.read("x.zip.part") == "12345")
    }

    /// A program that begins at that moment has copies of all descriptors.
    @Test func aFileIsFreeAtOnceAlthoughAProgramIsStarted() throws {
        let folder = try DownloadFolder()
        let file = try folder.directory.partial()
        try file.append("12345")
        let copies = try DescriptorCopies(below: folder.path)
        defer { withExtendedLifetime(copies) {} }
        #expect(throws: FileSystemError.self) { try folder.seen().partial() }
        file.close()
        #expect(try folder.seen().partial().held.length == 5)
    }

    /// What a killed run, a power cut or a forger may leave: see also `DurableMarkTests.whatIsTrusted`.
    @Test(arguments: [
        ("killed after making the file", "", [:], 0),
        ("killed after the origin", "", [RecordField.origin: origin.text], 0),
        ("killed while writing", "12345", [.origin: origin.text, .total: "9", .durable: "0 \(boot)"], 5),
        ("killed before the rename", "12345", [.origin: origin.text, .total: "5", .durable: "3 \(boot)"], 5),
        ("after a power cut", "123\0\0", [.origin: origin.text, .total: "9", .durable: "3 \(otherBoot)"], 3),
        ("shorter than the mark", "12", [.origin: origin.text, .total: "9", .durable: "3 \(boot)"], 0),
        ("no mark", "12345", [.origin: origin.text, .total: "9"], 0),
        ("an invalid total", "12345", [.origin: origin.text, .total: "-9", .durable: "0 \(boot)"], 5),
    ])
    func onlyTrustedBytesAreKept(
        what: String,
        content: String,
        fields: [RecordField: String],
        length: Int64
    ) throws {
        let folder = try DownloadFolder()
        try folder.leave(content, in: "x.zip.part", fields)
        let file = try folder.directory.partial()
        #expect(file.location.partialName == "x.zip.part", "\(what)")
        #expect(file.held.length == length, "\(what)")
        #expect(try folder.read("x.zip.part") == String(content.prefix(Int(length))), "\(what)")
        #expect(file.durable.front <= length, "\(what)")
        #expect(try folder.attribute(.origin, of: "x.zip.part") == origin.text, "\(what)")

        // And then the download succeeds.
        try file.begin(total: 9, validator: nil, encoding: nil)
        try file.write("123456789", at: 0)
        try file.finish()
        #expect(try folder.read("x.zip") == "123456789", "\(what)")
        #expect(try folder.directory.finishedFile()?.size == 9, "\(what)")
    }

    /// A power cut can undo the removal of the mark, and leave the rename.
    @Test func aFinishedFileIsTrustedWhateverItsMarkSays() throws {
        let folder = try DownloadFolder()
        try folder.directory.fetch("12345")
        for mark in ["0 \(Self.boot)", "0 \(Self.otherBoot)", "9 \(Self.otherBoot)", "0 -"] {
            try folder.withAttributes(of: "x.zip") { try $0.set(RecordField.durable.rawValue, to: mark) }
            #expect(try folder.directory.finishedFile()?.size == 5)
            #expect(try folder.directory.contents().map(\.isFinished) == [true])
        }
    }

    @Test func leftoverSidecarsDoNoHarm() throws {
        let folder = try DownloadFolder(.sidecar)
        let record = "user.xdg.origin.url=\(origin.text)\nuser.spate.total=5\nuser.spate.durable=9 \(Self.boot)\n"
        for name in [".x.zip.spate", ".x.zip.spate.tmp", ".x.zip.part.spate", ".x.zip.part.spate.tmp"] {
            try folder.write(record, to: name)
        }
        #expect(try folder.directory.contents() == [])
        #expect(try folder.directory.partial().held == HeldBytes.none)
        try folder.directory.fetch("12345")
        #expect(try folder.names == [".x.zip.spate", "x.zip"])
        #expect(try folder.directory.finishedFile()?.size == 5)
    }

    @Test func aSidecarThatIsNotARegularFileIsIgnored() throws {
        let folder = try DownloadFolder(.sidecar)
        try folder.write("user.xdg.origin.url=\(origin.text)\nuser.spate.durable=0 \(Self.boot)\n", to: "elsewhere")
        try folder.write("12345", to: "x.zip.part")
        #expect(symlink("elsewhere", folder.path(".x.zip.part.spate")) == 0)
        #expect(try folder.directory.contents() == [])
        #expect(unlink(folder.path(".x.zip.part.spate")) == 0)
        #expect(mkfifo(folder.path(".x.zip.part.spate"), 0o644) == 0)
        #expect(try folder.directory.contents() == [])
    }

    @Test func aFileIsClosedOnceAndAtTheLatestWithItsLastReference() throws {
        let folder = try DownloadFolder(.namedFiles)
        do {
            let file = try folder.directory.partial()
            file.close()
            file.close()
            let again = try folder.directory.partial()
            // It must not unlock its successor.
            file.close()
            #expect(failure { try folder.seen(.namedFiles).partial() } != nil)
            _ = again.location
        }
        #expect(throws: Never.self) { try folder.seen(.namedFiles).partial() }
    }
}
