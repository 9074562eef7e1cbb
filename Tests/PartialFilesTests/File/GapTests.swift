import ExtendedAttributes
import Foundation
import HTTPResumption
import Locking
import PartialFiles
import TestSupport
import Testing

/// Partial files that may have gaps (SPLITTING.md S20 to S26).
@Suite struct GapTests {
    private static let origin = "http://host/x.zip"
    private static let name = "x.zip.part"
    private static let whole = "abcdefghijklmnopqrst"
    private static let boot = "11111111-2222-3333-4444-555555555555"

    /// A file of 20 bytes that has the first four, and may have gaps.
    private func gapped(_ directory: DownloadDirectory) throws -> PartialFile {
        let file = try directory.partial(of: try url(Self.origin))
        try file.begin(total: 20, validator: .etag("\"v1\""), encoding: nil)
        try file.append("abcd")
        #expect(try file.allowGaps())
        return file
    }

    private func held(_ length: Int64, gapEnd: Int64?) -> HeldBytes {
        HeldBytes(length: length, gapEnd: gapEnd, total: 20, validator: .etag("\"v1\""))
    }

    @Test(arguments: RecordKeeping.allCases)
    func bytesBehindGapsAreKept(keeping: RecordKeeping) throws {
        let folder = try DownloadFolder(keeping)
        let file = try gapped(folder.directory)
        try file.write("ij", at: 8)
        try file.write("opq", at: 14)
        #expect(file.filled.text == "0-4 8-10 14-17" && file.held == held(4, gapEnd: 8))
        file.close()
        #expect(try folder.directory.contents().map(\.size) == [9])

        let again = try folder.directory.partial(of: try url(Self.origin))
        #expect(again.found == held(4, gapEnd: 8) && again.filled.text == "0-4 8-10 14-17")
        let error = #expect(throws: FileSystemError.self) { try again.prepareToPublish(size: 17) }
        #expect(error?.kind == .changed)
        // Of these, only what is missing is written.
        try again.write("ABCDefghIJklmnOPQrst", at: 0)
        try again.finish()
        #expect(try folder.read("x.zip") == Self.whole)
        if keeping == .sidecar {
            #expect(try !folder.read(".x.zip.spate").contains("filled"))
        } else {
            #expect(try folder.attribute(.filled, of: "x.zip") == nil)
        }
    }

    @Test func bytesComeFirstAndThenTheirRecord() throws {
        let calls = Locked<[String]>([])
        let folder = try DownloadFolder { platform in
            platform.write = { descriptor, bytes, count, offset in
                calls.withLock { $0.append("write \(offset) \(count)") }
                return Platform.native.write(descriptor, bytes, count, offset)
            }
            platform.sync = { descriptor in
                calls.withLock { $0.append("sync") }
                return Platform.native.sync(descriptor)
            }
            platform.attributes = { descriptor in
                CheckedAttributes(descriptor) { (name, text) throws(ExtendedAttributeError) in
                    calls.withLock { $0.append("\(name.split(separator: ".")[2]) \(text ?? "nil")") }
                }
            }
        }
        func expect(_ expected: [String], sourceLocation: SourceLocation = #_sourceLocation) {
            #expect(calls.withLock { $0 } == expected, sourceLocation: sourceLocation)
            calls.withLock { $0 = [] }
        }
        let file = try gapped(folder.directory)
        #expect(calls.withLock { $0.suffix(3) } == ["write 0 4", "filled 0-4", "durable 0-0 \(Self.boot)"])
        calls.withLock { $0 = [] }
        try file.write("ijkl", at: 8)
        expect(["write 8 4", "filled 0-4 8-12"])
        try file.write("ghijklmn", at: 6)
        expect(["write 6 2", "filled 0-4 6-12", "write 12 2", "filled 0-4 6-14"])
        try file.write("abcd", at: 0)
        expect([])
        try file.sync()
        expect(["sync", "durable 0-4 6-14 \(Self.boot)"])
        try file.truncate(to: 8)
        expect(["durable 0-4 6-8 \(Self.boot)", "filled 0-4 6-8"])
        try file.truncate(to: 5)
        expect(["durable 0-4 \(Self.boot)", "filled 0-4", "durable 4 \(Self.boot)", "filled nil"])
        #expect(try folder.read(Self.name) == "abcd")
    }

    private static let other = "99999999-2222-3333-4444-555555555555"

    /// What a killed run, a power cut or a forger may leave (S23). Every file has 18 bytes.
    @Test(
        arguments: [
            ("killed while writing", "0-0 \(boot)", "0-4 8-10", "0-4 8-10"),
            ("without a front", "0-0 \(boot)", "8-10 14-18", "8-10 14-18"),
            ("in order, and longer", "0-0 \(boot)", "0-10", "0-10"),
            ("killed while gaps were allowed", "3 \(boot)", "0-18", "0-18"),
            ("killed while the list was removed", "3 \(boot)", "0-18", "0-18"),
            ("after a power cut", "0-4 14-16 \(other)", "0-6 14-18", "0-4 14-16"),
            ("after a power cut, nothing synced", "0-0 \(other)", "0-6 14-18", "0-0"),
            ("after a power cut, the boot not known", "0-4 -", "0-6 14-18", "0-4"),
            ("no mark", nil, "0-4 8-10", "0-0"),
            ("no list", "0-4 8-10 \(boot)", nil, "0-4 8-10"),
            ("an invalid list", "0-4 8-10 \(boot)", "0-4 4-10", "0-4 8-10"),
            ("an invalid list and an older mark", "4 \(boot)", "garbage", "0-4"),
            ("an invalid list, after a power cut", "0-4 \(other)", "", "0-4"),
            ("an invalid list and mark", "0-4 3-9 \(boot)", "0-9 3-12", "0-0"),
            ("longer than the file", "0-4 \(boot)", "0-4 8-19", "0-4"),
            ("longer than the total", "0-4 8-10 \(boot)", "0-4 8-21", "0-4 8-10"),
            ("a mark longer than the file", "0-4 8-19 \(boot)", "0-4 8-10", "0-0"),
        ] as [(String, String?, String?, String)],
        RecordKeeping.allCases
    )
    func onlyWhatIsSafeIsKept(
        damage: (what: String, mark: String?, list: String?, kept: String),
        keeping: RecordKeeping
    ) throws {
        let folder = try DownloadFolder(keeping)
        var fields = [RecordField.origin: Self.origin, .total: "20", .validator: "\"v1\""]
        (fields[.durable], fields[.filled]) = (damage.mark, damage.list)
        let content = String(Self.whole.prefix(18))
        if keeping == .sidecar {
            let lines = fields.map { "\($0.rawValue)=\($1)\n" }.joined()
            try folder.write(lines, to: ".x.zip.part.spate")
            try folder.write(content, to: Self.name)
        } else {
            try folder.leave(content, in: Self.name, fields)
        }
        #expect(try folder.directory.contents().map(\.size) == [FilledRanges(damage.kept)?.count])
        for _ in 0..<2 {
            let file = try folder.directory.partial(of: try url(Self.origin))
            #expect(file.filled.text == damage.kept)
            #expect(try folder.read(Self.name).utf8.count == Int(file.filled.end))
            #expect(file.durable.isPart(of: file.filled))
            file.close()
        }
        let file = try folder.directory.partial(of: try url(Self.origin))
        try file.begin(total: 20, validator: .etag("\"v1\""), encoding: nil)
        try file.write(Self.whole, at: 0)
        try file.finish()
        #expect(try folder.read("x.zip") == Self.whole)
    }

    @Test(arguments: RecordKeeping.allCases)
    func syncedRangesSurviveAPowerCut(keeping: RecordKeeping) throws {
        let folder = try DownloadFolder(keeping)
        let file = try gapped(folder.directory)
        try file.write("ijkl", at: 8)
        try file.sync()
        #expect(file.durable.text == "0-4 8-12")
        try file.write("efg", at: 4)
        try file.write("mn", at: 12)
        try file.write("t", at: 19)
        file.close()

        let later = folder.seen(keeping) { $0.boot = RecordKeeping.otherBoot }
        let again = try later.partial(of: try url(Self.origin))
        #expect(again.filled.text == "0-4 8-12" && again.found == held(4, gapEnd: 8))
        try again.begin(total: 20, validator: .etag("\"v1\""), encoding: nil)
        try again.write("t", at: 19)
        again.close()
        let last = try later.partial(of: try url(Self.origin))
        #expect(last.filled.text == "0-4 8-12 19-20" && last.durable.text == "0-4 8-12")
    }

    /// And what is written while the file is cut is not noted.
    @Test func whatIsWrittenDuringASyncIsNotDurable() throws {
        let (inASync, inAWrite) = (Locked<(@Sendable () -> Void)?>(nil), Locked<(@Sendable () -> Void)?>(nil))
        let folder = try DownloadFolder { platform in
            platform.sync = { descriptor in
                inASync.withLock { $0.take() }?()
                return Platform.native.sync(descriptor)
            }
            platform.write = { descriptor, bytes, count, offset in
                inAWrite.withLock { $0.take() }?()
                return Platform.native.write(descriptor, bytes, count, offset)
            }
        }
        let file = try gapped(folder.directory)
        inASync.withLock { action in
            action = { [weak file] in #expect(throws: Never.self) { try file?.write("ij", at: 8) } }
        }
        try file.sync()
        #expect(file.durable.text == "0-4" && file.filled.text == "0-4 8-10")
        inAWrite.withLock { action in
            action = { [weak file] in #expect(throws: Never.self) { try file?.truncate(to: 9) } }
        }
        try file.write("st", at: 18)
        #expect(file.filled.text == "0-4 8-9")
        #expect(try folder.attribute(.filled, of: Self.name) == "0-4 8-9")
    }

    @Test func aFailedSyncGoesBackToWhatIsDurable() throws {
        let isBroken = Locked(false)
        let folder = try DownloadFolder { platform in
            platform.sync = { descriptor in
                if !isBroken.withLock({ $0 }) { return Platform.native.sync(descriptor) }
                errno = EIO
                return -1
            }
        }
        let file = try gapped(folder.directory)
        try file.write("ijkl", at: 8)
        try file.sync()
        try file.write("efg", at: 4)
        try file.write("t", at: 19)
        isBroken.withLock { $0 = true }
        #expect(throws: FileSystemError.self) { try file.sync() }
        try file.truncate(to: 12)
        #expect(file.syncFailure != nil && file.filled.text == "0-7 8-12")
        try file.keepDurable()
        #expect(file.syncFailure == nil && file.filled.text == "0-4 8-12")
        #expect(try folder.attribute(.filled, of: Self.name) == "0-4 8-12")
    }

    @Test(arguments: [RecordField.filled, .durable])
    func withoutRoomForTheListNoGapsAreAllowed(field: RecordField) throws {
        let folder = try DownloadFolder { platform in
            platform.attributes = { descriptor in
                CheckedAttributes(descriptor) { (name, text) throws(ExtendedAttributeError) in
                    if name == field.rawValue, text?.hasPrefix("0-") ?? false {
                        throw ExtendedAttributeError(operation: .set, name: name, code: ENOSPC)
                    }
                }
            }
        }
        let file = try folder.directory.begun(try url(Self.origin), "12345")
        #expect(try !file.allowGaps())
        #expect(try folder.attribute(.filled, of: Self.name) == nil)
        #expect(try folder.attribute(.durable, of: Self.name) == "0 \(Self.boot)")
        try file.append("67")
        try file.sync()
        file.close()
        let again = try folder.directory.partial(of: try url(Self.origin))
        #expect(again.filled.text == "0-7" && again.durable.text == "0-7")
    }

    @Test func ofAListThatDoesNotFitTheOlderOneStays() throws {
        let folder = try DownloadFolder { platform in platform.attributes = { CheckedAttributes($0, limit: 40) } }
        let file = try gapped(folder.directory)
        for offset in stride(from: Int64(6), to: 20, by: 1) where offset % 2 == 0 { try file.write("x", at: offset) }
        #expect(file.filled.ranges.count == 8)
        try file.sync()
        let listed = try #require(FilledRanges(try folder.attribute(.filled, of: Self.name) ?? ""))
        file.close()
        let again = try folder.directory.partial(of: try url(Self.origin))
        #expect(again.filled == listed && listed.ranges.count > 3 && listed.isPart(of: file.filled))
    }

    @Test func aSidecarIsWrittenOnceASecond() throws {
        let syncs = Locked(0)
        let folder = try DownloadFolder(.sidecar) { platform in
            platform.sync = { descriptor in
                syncs.withLock { $0 += 1 }
                return Platform.native.sync(descriptor)
            }
        }
        let file = try gapped(folder.directory)
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
        let file = try folder.directory.partial(of: try url(Self.origin))
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
                        try bytes.withUnsafeBytes { try file.write($0, at: Int64(number * block)) }
                    }
                }
            }
            group.addTask {
                for _ in 0..<20 {
                    try file.sync()
                    let text = try folder.attribute(.filled, of: Self.name) ?? ""
                    // Too many ranges are not listed.
                    for range in FilledRanges(text)?.ranges ?? [] {
                        let bytes = Array(content[Int(range.lowerBound)..<Int(range.upperBound)])
                        #expect(try file.matches(bytes, at: range.lowerBound))
                    }
                }
            }
            try await group.waitForAll()
        }
        #expect(file.filled == FilledRanges(upTo: Int64(content.count)))
        #expect(try file.matches(content, at: 0))
        try file.finish()
    }

    /// The state on disk at each call that changes something: what a kill leaves there, and what a power cut may leave.
    @Test func aKillBetweenAnyTwoCallsLosesNothingAndKeepsNothingWrong() throws {
        let (moments, synced) = (Locked<[Moment]>([]), Locked(""))
        let path = Locked("")
        @Sendable func remember(_ call: String) {
            let path = path.withLock { $0 }
            guard let moment = Moment(of: path, before: call, synced: synced.withLock { $0 }) else { return }
            moments.withLock { $0.append(moment) }
        }
        let folder = try DownloadFolder { platform in
            platform.write = { descriptor, bytes, count, offset in
                remember("write \(offset)")
                return Platform.native.write(descriptor, bytes, count, offset)
            }
            platform.sync = { descriptor in
                remember("sync")
                synced.withLock { $0 = (try? String(contentsOfFile: path.withLock { $0 }, encoding: .utf8)) ?? $0 }
                return Platform.native.sync(descriptor)
            }
            platform.attributes = { descriptor in
                CheckedAttributes(descriptor) { (name, text) throws(ExtendedAttributeError) in
                    remember("\(name) = \(text ?? "nil")")
                }
            }
        }
        path.withLock { $0 = folder.path(Self.name) }
        let file = try gapped(folder.directory)
        try file.write("ijkl", at: 8)
        try file.sync()
        try file.write("st", at: 18)
        try file.truncate(to: 11)
        try file.truncate(to: 3)
        try file.write("de", at: 3)
        #expect(try file.allowGaps())
        try file.write("rst", at: 17)
        try file.sync()
        try file.write("fghijklmnopq", at: 5)
        try file.sync()
        try file.finish()

        let all = moments.withLock { $0 }
        #expect(all.count > 25)
        for moment in all {
            for (content, boot) in [
                (moment.content, RecordKeeping.boot), (moment.afterPowerCut, RecordKeeping.otherBoot),
            ] {
                let later = try DownloadFolder { $0.boot = boot }
                try Data(content.utf8).write(to: URL(filePath: later.path(Self.name)))
                try later.withAttributes(of: Self.name) { attributes in
                    for (field, text) in moment.fields { try attributes.set(field.rawValue, to: text) }
                }
                let kept = try later.directory.partial(of: try url(Self.origin))
                for range in kept.filled.ranges {
                    let bytes = Array(Self.whole.utf8)[Int(range.lowerBound)..<Int(range.upperBound)]
                    #expect(try kept.matches(Array(bytes), at: range.lowerBound), "\(moment) \(kept.filled.text)")
                }
                // A block under way is all that a kill costs.
                let written = content.utf8.count { $0 != 0 }
                if boot == RecordKeeping.boot { #expect(written - Int(kept.filled.count) <= 12, "\(moment)") }
            }
            // An older Spate trusts the mark in its own form, and then the whole file.
            if let mark = moment.fields[.durable], mark.split(separator: " ").count == 2, !mark.hasPrefix("0-") {
                #expect(Self.whole.hasPrefix(moment.content), "\(moment)")
            }
        }
    }

    private struct Moment: CustomStringConvertible {
        let call: String
        let content: String
        /// With zeros for what was not synced.
        let afterPowerCut: String
        let fields: [RecordField: String]

        init?(of path: String, before call: String, synced: String) {
            guard let content = try? String(contentsOfFile: path, encoding: .utf8) else { return nil }
            self.call = call
            self.content = content
            let lost = String(repeating: "\0", count: max(0, content.utf8.count - synced.utf8.count))
            afterPowerCut = String(synced.prefix(content.utf8.count)) + lost
            let stored = (try? attributes(of: path)) ?? [:]
            fields = stored.reduce(into: [:]) { fields, next in
                RecordField(rawValue: next.key).map { fields[$0] = next.value }
            }
        }

        var description: String { "before \(call): \(content.debugDescription) \(fields)" }
    }
}
