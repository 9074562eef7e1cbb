import ExtendedAttributes
import Foundation
import HTTPResumption
import Locking
import PartialFiles
import TestSupport
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

        let again = try folder.directory.partial(of: try url(GappedFile.origin))
        #expect(again.found == GappedFile.held(4, gapEnd: 8) && again.filled.text == "0-4 8-10 14-17")
        let error = #expect(throws: FileSystemError.self) { try again.prepareToPublish(size: 17) }
        #expect(error?.kind == .changed)
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
        let file = try GappedFile.made(in: folder.directory)
        #expect(calls.withLock { $0.suffix(3) } == ["write 0 4", "filled 0-4", "durable 0-0 \(GappedFile.boot)"])
        calls.withLock { $0 = [] }
        try file.write("ijkl", at: 8)
        expect(["write 8 4", "filled 0-4 8-12"])
        try file.write("ghijklmn", at: 6)
        expect(["write 6 2", "filled 0-4 6-12", "write 12 2", "filled 0-4 6-14"])
        try file.write("abcd", at: 0)
        expect([])
        try file.sync()
        expect(["sync", "durable 0-4 6-14 \(GappedFile.boot)"])
        try file.truncate(to: 8)
        expect(["durable 0-4 6-8 \(GappedFile.boot)", "filled 0-4 6-8"])
        try file.truncate(to: 5)
        expect(["durable 0-4 \(GappedFile.boot)", "filled 0-4", "durable 4 \(GappedFile.boot)", "filled nil"])
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
    }

    @Test func whatIsExpectedIsForgottenOnceItIsFilledOrCut() throws {
        let folder = try DownloadFolder(.namedFiles)
        let file = try GappedFile.made(in: folder.directory)
        #expect(try file.compare("xyz", at: 10))
        #expect(try !file.write("efghijk", at: 4))
        try file.truncate(to: 4)
        #expect(try file.write("efghijklmnopqrst", at: 4))
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
        let file = try GappedFile.made(in: folder.directory)
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
        #expect(try folder.attribute(.filled, of: GappedFile.name) == "0-4 8-9")
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
        let file = try GappedFile.made(in: folder.directory)
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
        #expect(try folder.attribute(.filled, of: GappedFile.name) == "0-4 8-12")
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
        let file = try folder.directory.begun(try url(GappedFile.origin), "12345")
        #expect(try !file.allowGaps())
        #expect(try folder.attribute(.filled, of: GappedFile.name) == nil)
        #expect(try folder.attribute(.durable, of: GappedFile.name) == "0 \(GappedFile.boot)")
        try file.append("67")
        try file.sync()
        file.close()
        let again = try folder.directory.partial(of: try url(GappedFile.origin))
        #expect(again.filled.text == "0-7" && again.durable.text == "0-7")
    }

    @Test func ofAListThatDoesNotFitTheOlderOneStays() throws {
        let folder = try DownloadFolder { platform in platform.attributes = { CheckedAttributes($0, limit: 40) } }
        let file = try GappedFile.made(in: folder.directory)
        for offset in stride(from: Int64(6), to: 20, by: 1) where offset % 2 == 0 { try file.write("x", at: offset) }
        #expect(file.filled.ranges.count == 8)
        try file.sync()
        let listed = try #require(FilledRanges(try folder.attribute(.filled, of: GappedFile.name) ?? ""))
        file.close()
        let again = try folder.directory.partial(of: try url(GappedFile.origin))
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
        let file = try folder.directory.partial(of: try url(GappedFile.origin))
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
        #expect(file.filled == FilledRanges(upTo: Int64(content.count)))
        #expect(try file.matches(content, at: 0))
        try file.finish()
    }
}
