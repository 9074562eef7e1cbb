import Glibc
import SpateFilePaths
import SpateFileSystemCalls
import SpateHTTPResumption
import SpateHTTPSyntax
import SpateLocking
import SpatePartialFiles
import SpateTestSupport
import Testing

/// A partial file that is opened with a proof of its bytes, such as the checksums of its pieces.
@Suite(.takesTurns) struct ProofTests {
    /// Leaves a file of 18 of its 20 bytes, of which the record says this.
    private func left(
        _ keeping: RecordKeeping,
        mark: String? = nil,
        list: String? = nil,
        total: String? = "20",
        tag: String? = "\"v1\""
    ) throws -> DownloadFolder {
        let folder = try DownloadFolder(keeping)
        let values: [RecordField: String?] = [
            .origin: origin.text, .total: total, .validator: tag, .durable: mark, .filled: list,
        ]
        let fields = values.compactMapValues(\.self)
        try folder.leave(String(GappedFile.whole.prefix(18)), in: GappedFile.name, keeping == .sidecar ? [:] : fields)
        if keeping == .sidecar {
            try folder.write(fields.map { "\($0.rawValue)=\($1)\n" }.joined(), to: ".x.zip.part.spate")
        }
        return folder
    }

    @Test(
        arguments: [
            // (mark, list, what is trusted, what agrees, what is kept)
            ("0-4 14-16 \(GappedFile.otherBoot)", "0-6 14-18", "0-4 14-16", "0-6 14-18", "0-6 14-18"),
            ("4 \(GappedFile.otherBoot)", nil, "0-4", "0-8 12-16", "0-8 12-16"),
            ("4 \(GappedFile.otherBoot)", nil, "0-4", "0-8", "0-8"),
            // Beyond the size, and less than the record trusts.
            ("18 \(GappedFile.boot)", nil, "0-18", "2-20", "2-18"),
            ("0-4 \(GappedFile.boot)", "0-4 8-12", "0-4 8-12", "8-10", "8-10"),
            ("0-4 \(GappedFile.boot)", "0-4 8-12", "0-4 8-12", "0-0", "0-0"),
            // A file that is shorter than its mark, a list without a mark, and neither.
            ("19 \(GappedFile.boot)", nil, "0-0", "4-8", "4-8"),
            (nil, "0-4 8-12", "0-0", "0-4", "0-4"),
            (nil, nil, "0-0", "0-6 12-18", "0-6 12-18"),
        ] as [(String?, String?, String, String, String)],
        RecordKeeping.allCases
    )
    func whatAgreesIsKept(
        record: (mark: String?, list: String?, trusted: String, agreeing: String, kept: String),
        keeping: RecordKeeping
    ) throws {
        let folder = try left(keeping, mark: record.mark, list: record.list)
        let kept = try #require(FilledRanges(record.kept))
        let mark = record.mark.flatMap { DurableMark($0) }?.filled ?? FilledRanges()
        do {
            let file = try folder.directory.partial { file, claimed, trusted in
                #expect(claimed.text == record.list ?? "0-18" && trusted.text == record.trusted)
                #expect(file.name.text == GappedFile.name)
                #expect(failure { try folder.seen(keeping).partial() }?.kind == .inUse)
                return try #require(FilledRanges(record.agreeing))
            }
            #expect(file.filled == kept && file.held.length == kept.front)
            // A proof is no sync.
            #expect(file.durable == mark.intersection(kept))
            #expect(try folder.read(GappedFile.name).utf8.count == kept.end)
            try file.begin(total: 20, validator: .etag("\"v1\""), encoding: nil)
        }
        do {
            // What is kept is as if it were written now.
            let again = try folder.directory.partial()
            #expect(again.filled == kept && again.durable == mark.intersection(kept))
        }
        let later = folder.seen(keeping) { $0.boot = RecordKeeping.otherBoot }
        #expect(try later.partial().filled == mark.intersection(kept))
    }

    @Test(arguments: [nil, "W/\"v1\""])
    func gapsNeedNoValidator(tag: String?) throws {
        let folder = try left(.attributes, mark: "0-4 \(GappedFile.boot)", list: "0-4 8-12", tag: tag)
        do {
            let file = try folder.directory.partial { _, _, trusted in trusted }
            #expect(file.filled.text == "0-4 8-12")
        }
        #expect(try folder.directory.partial().filled.text == "0-4")
    }

    /// Whoever has no checksum must not go on with bytes that only checksums join.
    @Test(arguments: RecordKeeping.allCases) func joinedBytesNeedAProof(keeping: RecordKeeping) throws {
        let folder = try left(keeping, mark: "18 \(GappedFile.boot)")
        do {
            let file = try folder.directory.partial()
            try file.begin(total: 20, validator: .etag("\"v2\""), encoding: nil, isJoined: true)
            #expect(file.notes.isJoined)
        }
        let proven = try folder.directory.open(
            folder.claim,
            isOfDocument: false,
            provenBy: .checksum
        )
        .partial
        #expect(proven.filled.text == "0-18")
        proven.close()
        let unproven = try folder.directory.partial()
        #expect(unproven.filled.isEmpty)
        try unproven.begin(total: 20, validator: .etag("\"v2\""), encoding: nil)
        try unproven.write("abcd", at: 0)
        unproven.close()
        #expect(try folder.directory.partial().filled.text == "0-4")
    }

    /// Nor may a later check for an update ask by the validator of another version.
    @Test func aFinishedFileOfJoinedBytesHasNoValidator() throws {
        let folder = try left(.attributes, mark: "18 \(GappedFile.boot)")
        let file = try folder.directory.partial()
        try file.begin(total: 20, validator: .etag("\"v2\""), encoding: nil, isJoined: true)
        try file.write("st", at: 18)
        try file.prepareToPublish(size: 20)
        _ = try file.publish(replacing: .none)
        let names = try attributes(of: folder.path("x.zip")).keys
        #expect(!names.contains(RecordField.joined.rawValue) && !names.contains(RecordField.validator.rawValue))
    }

    @Test func withoutATotalOnlyTheFrontIsKept() throws {
        let folder = try left(.attributes, total: nil)
        let file = try folder.directory.partial { _, _, _ in try #require(FilledRanges("0-4 8-12")) }
        #expect(file.filled.text == "0-4" && file.durable.isEmpty)
        #expect(try folder.read(GappedFile.name) == "abcd")
    }

    @Test func beyondTheTotalNothingIsKept() throws {
        let folder = try left(.attributes, mark: "4 \(GappedFile.boot)", total: "10")
        #expect(try folder.directory.partial { _, _, _ in FilledRanges(upTo: 18) }.filled.text == "0-10")
    }

    /// The kernel has them in memory, and has forgotten that they are not on disk.
    @Test func bytesOfAFailedSyncAreNotKept() throws {
        let folder = try left(.attributes, mark: "4 \(GappedFile.boot)")
        let file = try folder.directory.partial { _, _, _ in FilledRanges(upTo: 18) }
        let identity = try file.file.status().identity
        file.close()
        folder.directory.platform.process.spoiledFiles.withLock { _ = $0.insert(identity) }
        #expect(try folder.directory.partial { _, _, _ in try #require(FilledRanges("2-18")) }.filled.text == "2-4")
    }
}

extension DownloadDirectory {
    fileprivate func partial(
        proving prove: @escaping (OpenFile, _ claimed: FilledRanges, _ trusted: FilledRanges) throws -> FilledRanges
    ) throws -> PartialFile {
        let proof = Proof.pieces { (file, claimed, trusted, _) throws(FileSystemError) in
            do {
                return try prove(file, claimed, trusted)
            } catch {
                throw FileSystemError(.read, file.path, code: EIO)
            }
        }
        return try open(claim(origin, .derived), isOfDocument: false, provenBy: proof).partial
    }
}
