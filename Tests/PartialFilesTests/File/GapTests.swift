import Foundation
import SpateExtendedAttributes
import SpateFileSystemCalls
import SpateHTTPResumption
import SpateHTTPSyntax
import SpateLocking
import SpatePartialFiles
import SpateTestSupport
import Testing

/// Partial files that may have gaps (ResumptionRules.md S25 and S26).
@Suite(.takesTurns) struct GapTests {
    @Test(arguments: RecordKeeping.allCases)
    func bytesBehindGapsAreKept(keeping: RecordKeeping) throws {
        let folder = try DownloadFolder(keeping)
        let file = try GappedFile.made(in: folder.directory)
        try file.write("ij", at: 8)
        try file.write("opq", at: 14)
        #expect(file.filled.text == "0-4 8-10 14-17" && file.held == GappedFile.held(4, gapEnd: 8))
        file.close()
        #expect(try folder.directory.contents().map(\.size) == [9])

        let again = try folder.directory.partial()
        #expect(again.held == GappedFile.held(4, gapEnd: 8) && again.filled.text == "0-4 8-10 14-17")
        #expect(failure { try again.prepareToPublish(size: 17) }?.kind == .changed)
        // Of these, only what is missing is written.
        try again.write("ABCDefghIJklmnOPQrst", at: 0)
        try again.finish()
        #expect(try folder.read("x.zip") == GappedFile.whole)
        if keeping == .sidecar {
            #expect(try !folder.read(".x.zip.spate").contains("filled"))
        } else {
            #expect(try folder.attribute(.filled, of: "x.zip") == nil)
        }
    }

    /// What a kill, a power cut or a forger may leave (S23): see also `DurableMarkTests.whatIsTrusted`.
    @Test(
        arguments: [
            ("killed while writing", "0-0 \(GappedFile.boot)", "0-4 8-10", "0-4 8-10"),
            ("after a power cut", "0-4 14-16 \(GappedFile.otherBoot)", "0-6 14-18", "0-4 14-16"),
            ("an invalid list", "0-4 8-10 \(GappedFile.boot)", "0-4 4-10", "0-4 8-10"),
            ("an invalid list and an older mark", "4 \(GappedFile.boot)", "garbage", "0-4"),
            ("an invalid list, after a power cut", "0-4 \(GappedFile.otherBoot)", "", "0-4"),
            ("an invalid list and mark", "0-4 3-9 \(GappedFile.boot)", "0-9 3-12", "0-0"),
        ],
        RecordKeeping.allCases
    )
    func onlyWhatIsSafeIsKept(
        damage: (what: String, mark: String, list: String, kept: String),
        keeping: RecordKeeping
    ) throws {
        let folder = try DownloadFolder(keeping)
        let fields: [RecordField: String] = [
            .origin: origin.text, .total: "20", .validator: "\"v1\"", .durable: damage.mark, .filled: damage.list,
        ]
        let content = String(GappedFile.whole.prefix(18))
        try folder.leave(content, in: GappedFile.name, keeping == .sidecar ? [:] : fields)
        if keeping == .sidecar {
            try folder.write(fields.map { "\($0.rawValue)=\($1)\n" }.joined(), to: ".x.zip.part.spate")
        }
        #expect(try folder.directory.contents().map(\.size) == [FilledRanges(damage.kept)?.count])
        for _ in 0..<2 {
            let file = try folder.directory.partial()
            #expect(file.filled.text == damage.kept && file.durable.isPart(of: file.filled), "\(damage.what)")
            #expect(try folder.read(GappedFile.name).utf8.count == Int(file.filled.end))
            file.close()
        }
        let file = try folder.directory.partial()
        try file.begin(total: 20, validator: .etag("\"v1\""), encoding: nil)
        try file.write(GappedFile.whole, at: 0)
        try file.finish()
        #expect(try folder.read("x.zip") == GappedFile.whole)
    }

    @Test(arguments: RecordKeeping.allCases)
    func syncedRangesSurviveAPowerCut(keeping: RecordKeeping) throws {
        let folder = try DownloadFolder(keeping)
        let file = try GappedFile.made(in: folder.directory)
        try file.write("ijkl", at: 8)
        try file.sync()
        #expect(file.durable.text == "0-4 8-12")
        try file.write("efg", at: 4)
        try file.write("mn", at: 12)
        file.close()

        let later = folder.seen(keeping) { $0.boot = RecordKeeping.otherBoot }
        let again = try later.partial()
        #expect(again.filled.text == "0-4 8-12" && again.held == GappedFile.held(4, gapEnd: 8))
        // What follows is of this boot; what was there is synced.
        try again.begin(total: 20, validator: .etag("\"v1\""), encoding: nil)
        try again.write("t", at: 19)
        again.close()
        let last = try later.partial()
        #expect(last.filled.text == "0-4 8-12 19-20" && last.durable.text == "0-4 8-12")
    }

    /// A kill or a power cut between two of these calls leaves nothing wrong. An older Spate trusts a mark in its own form,
    /// and then the whole file: no file with gaps has one.
    @Test func bytesComeFirstAndThenTheirRecord() throws {
        let calls = Locked<[String]>([])
        let folder = try DownloadFolder(.namedFiles) { platform in
            platform.write = { descriptor, bytes, count, offset in
                calls.withLock { $0.append("write \(offset) \(count)") }
                return Platform.native.write(descriptor, bytes, count, offset)
            }
            platform.sync = { descriptor in
                calls.withLock { $0.append("sync") }
                return Platform.native.sync(descriptor)
            }
            platform.noteAttributes(in: calls)
        }
        let file = try GappedFile.made(in: folder.directory)
        #expect(calls.taken().suffix(3) == ["write 0 4", "filled 0-4", "durable 0-0 \(GappedFile.boot)"])
        try file.write("ijkl", at: 8)
        #expect(calls.taken() == ["write 8 4", "filled 0-4 8-12"])
        try file.write("ghijklmn", at: 6)
        #expect(calls.taken() == ["write 6 2", "filled 0-4 6-12", "write 12 2", "filled 0-4 6-14"])
        try file.write("abcd", at: 0)
        #expect(calls.taken() == [])
        try file.sync()
        #expect(calls.taken() == ["sync", "durable 0-4 6-14 \(GappedFile.boot)"])
        try file.truncate(to: 8)
        #expect(calls.taken() == ["durable 0-4 6-8 \(GappedFile.boot)", "filled 0-4 6-8"])
        try file.truncate(to: 5)
        #expect(calls.taken().suffix(2) == ["durable 4 \(GappedFile.boot)", "filled nil"])
        #expect(try folder.read(GappedFile.name) == "abcd")
    }

    @Test func whatTwoRequestsBringMustAgree() throws {
        let folder = try DownloadFolder(.namedFiles)
        let file = try GappedFile.made(in: folder.directory)
        #expect(try file.write("ijkl", at: 8))
        // Of what is filled.
        #expect(try file.compare("jk", at: 9) && !file.compare("jx", at: 9))
        #expect(try file.write("hijkl", at: 7) && !file.write("ghijKl", at: 6))
        // Of what is not filled yet, or in part.
        #expect(try file.compare("opq", at: 14) && file.compare("lmno", at: 11) && !file.compare("Lmno", at: 11))
        #expect(try file.write("m", at: 12) && !file.write("mN", at: 12))
        // What is expected is forgotten once it is cut.
        #expect(try !file.write("nopxyz", at: 13))
        try file.truncate(to: 4)
        #expect(try file.write("efghijklmnopqrst", at: 4))
    }

    /// And what is written while the file is cut is not noted.
    @Test func whatIsWrittenDuringASyncIsNotDurable() throws {
        let (inASync, inAWrite) = (
            Locked<(@Sendable () throws -> Void)?>(nil), Locked<(@Sendable () throws -> Void)?>(nil)
        )
        let folder = try DownloadFolder { platform in
            platform.sync = { descriptor in
                #expect(throws: Never.self) { try inASync.withLock { $0.take() }?() }
                return Platform.native.sync(descriptor)
            }
            platform.write = { descriptor, bytes, count, offset in
                #expect(throws: Never.self) { try inAWrite.withLock { $0.take() }?() }
                return Platform.native.write(descriptor, bytes, count, offset)
            }
        }
        let file = try GappedFile.made(in: folder.directory)
        inASync.withLock { action in action = { [weak file] in try file?.write("ij", at: 8) } }
        try file.sync()
        #expect(file.durable.text == "0-4" && file.filled.text == "0-4 8-10")
        inAWrite.withLock { action in action = { [weak file] in try file?.truncate(to: 9) } }
        try file.write("st", at: 18)
        #expect(file.filled.text == "0-4 8-9")
        #expect(try folder.attribute(.filled, of: GappedFile.name) == "0-4 8-9")
    }

    /// Neither in the attributes nor for a sidecar.
    @Test(arguments: [RecordField.filled, .durable])
    func withoutRoomForTheListNoGapsAreAllowed(field: RecordField) throws {
        let folder = try DownloadFolder { platform in
            platform.refuseSidecars()
            platform.attributes = { CheckedAttributes($0, withoutListIn: field) }
        }
        let file = try folder.directory.begun("12345")
        #expect(try !file.allowGaps())
        #expect(try folder.attribute(.filled, of: GappedFile.name) == nil)
        #expect(try folder.attribute(.durable, of: GappedFile.name) == "0 \(GappedFile.boot)")
        try file.append("67")
        try file.sync()
        file.close()
        let again = try folder.directory.partial()
        #expect(again.filled.text == "0-7" && again.durable.text == "0-7")
    }

    @Test func onAFullDiskTheOlderListStays() throws {
        let folder = try DownloadFolder { platform in
            platform.refuseSidecars()
            platform.attributes = { CheckedAttributes($0, limit: 40) }
        }
        let file = try GappedFile.made(in: folder.directory)
        for offset in stride(from: Int64(6), to: 20, by: 2) { try file.write("x", at: offset) }
        #expect(file.filled.ranges.count == 8)
        try file.sync()
        let listed = try #require(FilledRanges(try folder.attribute(.filled, of: GappedFile.name) ?? ""))
        file.close()
        let again = try folder.directory.partial()
        #expect(again.filled == listed && listed.ranges.count > 3 && listed.isPart(of: file.filled))
    }

    @Test func aSidecarIsWrittenOnceASecond() throws {
        let syncs = Locked(0)
        let folder = try DownloadFolder(.sidecar) { $0.countSyncs(in: syncs) }
        let file = try GappedFile.made(in: folder.directory)
        syncs.withLock { $0 = 0 }
        let took = try ContinuousClock().measure {
            for offset in Int64(6)..<20 { try file.write("x", at: offset) }
        }
        // One of the sidecar, and one of the folder.
        let most = 2 * (took.components.seconds + 1)
        #expect((2...most).contains(Int64(syncs.withLock { $0 })))
        #expect(try took >= .seconds(1) || folder.read(".x.zip.part.spate").contains("user.spate.filled=0-4 6-7\n"))
        file.close()
        #expect(try folder.read(".x.zip.part.spate").contains("user.spate.filled=0-4 6-20\n"))
    }

    /// Also: whenever the list is read, the bytes that it promises are there.
    @Test func manyThreadsFillOneFile() async throws {
        let folder = try DownloadFolder()
        let (block, count) = (4_096, 256)
        let content = TestBytes.random(count: block * count)
        let file = try folder.directory.partial()
        try file.begin(total: Int64(content.count), validator: .etag("\"v1\""), encoding: nil)
        #expect(try file.allowGaps())
        try await withThrowingTaskGroup(of: Void.self) { group in
            for seed in 0..<UInt64(4) {
                group.addTask {
                    var random = SeededRandom(seed: seed)
                    // Half of the blocks are written by more than one thread, and all by one.
                    let numbers = (0..<count).filter { $0 % 4 == seed || random.below(4) == 0 }
                    for number in numbers.shuffled(using: &random) {
                        let bytes = content[(number * block)..<((number + 1) * block)]
                        _ = try bytes.withUnsafeBytes { try file.write($0, at: Int64(number * block)) }
                    }
                }
            }
            group.addTask {
                for _ in 0..<20 {
                    try file.sync()
                    let text = try folder.attribute(.filled, of: GappedFile.name) ?? ""
                    // Too many ranges are not listed.
                    for range in FilledRanges(text)?.ranges ?? [] {
                        let bytes = Array(content[Int(range.lowerBound)..<Int(range.upperBound)])
                        #expect(try file.matches(bytes, at: range.lowerBound))
                    }
                }
            }
            try await group.waitForAll()
        }
        #expect(try file.filled == FilledRanges(upTo: Int64(content.count)) && file.matches(content, at: 0))
        try file.finish()
    }
}
