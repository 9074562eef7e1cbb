import SpateFilePaths
import Testing

@testable import SpateQueueJournals

@Suite struct JournalRecordTests {
    private static let full: JournalEntry = {
        var entry = JournalEntry(url: "https://host/a?b=c")
        entry["name"] = "naïve \\n=name"
        entry["folder"] = "/a\tb\nc\\"
        entry["priority"] = "-4"
        entry["checksum"] = "md5:900150983cd24fb0d6963f7d28e17f72"
        entry[all: "mirror"] = ["https://mirror/1", "https://mirror/2"]
        entry.options.append(contentsOf: "riusptmda".unicodeScalars)
        entry["rate"] = "7"
        return entry
    }()

    private static let records: [JournalRecord] = [
        .entry(1, JournalEntry(url: "http://host/1")), .entry(2, full), .end(1),
        .entry(.max, JournalEntry(url: "http://host/3")), failure,
    ]

    private static let failureNumber = JournalRecord.failureNumber(of: 1)

    private static let failure: JournalRecord = {
        let failure = JournalFailure(
            code: "httpStatus",
            message: "Gone:\tnaïve\n\\.",
            status: 404,
            isRetryable: true,
            keptPartialFile: true
        )
        return failure.map { .failure(failureNumber, full, $0) } ?? .end(failureNumber)
    }()

    private static func bytes(_ records: [JournalRecord]) -> [UInt8] {
        var bytes: [UInt8] = []
        for record in records { record.write(to: &bytes) }
        return bytes
    }

    private static func entries(_ bytes: [UInt8]) -> [JournalEntry] {
        var reading = JournalReading()
        reading.readNumbers(in: bytes[...])
        var entries: [JournalEntry] = []
        reading.readEntries(in: bytes[...]) { entries.append($1) }
        return entries
    }

    private static func failures(_ bytes: [UInt8]) -> [JournalRecord] {
        var reading = JournalReading()
        reading.readNumbers(in: bytes[...])
        var failures: [JournalRecord] = []
        reading.readFailures(in: bytes[...]) { failures.append(.failure($0, $1, $2)) }
        return failures
    }

    @Test func aFailureIsReadBackUntilItsEndAndIsNoEntry() {
        let bytes = Self.bytes(Self.records)
        #expect(Self.failures(bytes) == [Self.failure])
        #expect(Self.failures(bytes + Self.bytes([.end(Self.failureNumber)])).isEmpty)
        // Its download has ended, and has another number.
        #expect(Self.entries(Self.bytes([.entry(1, Self.full), Self.failure, .end(1)])).isEmpty)
        #expect(Self.failures(Self.bytes([.entry(1, Self.full), Self.failure, .end(1)])) == [Self.failure])
    }

    @Test func ofARepeatedFieldTheLastCountsExceptForMirrors() throws {
        let fields = "name=a\toptions=ru\tmirror=1\tcut=x\tname=b\tmirror=2\tcut=+2\toptions=sp"
        let entry = try #require(JournalEntry(fields: Array("http://host/1\t\(fields)".utf8)[...]))
        #expect(entry.fileName == "b" && entry.cutURLFolders == 2 && entry[all: "mirror"] == ["1", "2"])
        #expect(entry.value(of: ["r": 1, "u": 2]) == nil && entry.value(of: ["x": 0, "p": 1, "s": 2]) == 1)
    }

    /// Anybody may have written it.
    @Test func aConfinedEntryStaysInItsFolderAndReplacesNothing() throws {
        let line = "http://host/1\tfolder=/a\tname=b\tfolder=/c\toptions=rupn"
        let entry = try #require(JournalEntry(fields: Array(line.utf8)[...])).confined
        #expect(entry.folder == nil && entry.fileName == "b")
        #expect(entry.value(of: ["r": true, "p": true]) == nil && entry.value(of: ["u": true, "n": true]) == true)
        let replacing = JournalEntry(fields: Array("http://host/1\toptions=rp".utf8)[...])
        #expect(replacing?.confined == JournalEntry(url: "http://host/1"))
    }

    /// Of an earlier number that kind is not known.
    @Test func onlyANumberOfItsOwnMakesAFailure() {
        let line = Array("65d44056 ! 9 http://host/9\tcode=tls\n".utf8)
        #expect(Self.failures(line).isEmpty && Self.entries(line).isEmpty)
    }

    @Test func longTextsOfAFailureAreCutAtACharacter() throws {
        for padding in 0..<4 {
            let message = String(repeating: "a", count: padding) + String(repeating: "€", count: 1_000)
            let code = String(repeating: "c", count: 1_000)
            let failure = try #require(JournalFailure(code: code, message: message))
            #expect(failure.message.utf8.count <= JournalFailure.longestMessage)
            #expect(failure.message.hasSuffix("€…") && message.hasPrefix(failure.message.dropLast()))
            #expect(failure.code.hasSuffix("c…") && failure.code.utf8.count <= 100)
            #expect(JournalFailure(code: failure.code, message: failure.message) == failure)
        }
        #expect(JournalFailure(code: "", message: "A failure has a code.") == nil)
    }

    @Test func aFailureIsVoidWhenItsFileIsEnqueuedAgain() {
        let failures = (1...4 as ClosedRange<UInt64>).compactMap { number in
            JournalFailure(code: "tls", message: "").map { failure in
                var entry = JournalEntry(url: "http://host/\(number == 4 ? 1 : number)")
                // Another name is another file.
                if number == 3 { entry["name"] = "c" }
                return JournalRecord.failure(JournalRecord.failureNumber(of: number), entry, failure)
            }
        }
        var again = JournalEntry(url: "http://host/2")
        again["checksum"] = "md5:900150983cd24fb0d6963f7d28e17f72"
        let records =
            failures.prefix(3) + [
                .entry(5, again), .end(5), .entry(6, JournalEntry(url: "http://host/3")), failures[3],
            ]
        var void = VoidFailures()
        void.read(Self.bytes(Array(records))[...]) { _ in true }
        let expected = [1, 2].map { JournalRecord.failureNumber(of: $0) }
        #expect(void.numbers.count == 2 && expected.allSatisfy(void.numbers.contains))
    }

    @Test func everyFieldIsReadBack() {
        #expect(Self.entries(Self.bytes(Self.records)) == [Self.full, JournalEntry(url: "http://host/3")])
        let line = Self.bytes([.entry(17, Self.full)]).dropLast()
        #expect(JournalRecord(line: line[...]) == .entry(17, Self.full))
    }

    @Test func theFormIsStable() {
        var entry = JournalEntry(url: "https://host/file")
        entry["name"] = "a.bin"
        entry["max"] = "500"
        let text = String(decoding: Self.bytes([.entry(17, entry), .end(17)]), as: UTF8.self)
        #expect(text == "\(Self.sums.0) + 17 https://host/file\tname=a.bin\tmax=500\n\(Self.sums.1) - 17\n")
    }

    /// As Python's zlib.crc32 computes them.
    private static let sums = ("6c6c4e56", "35b14ca2")

    @Test func aTornTailCostsOnlyItsRecord() {
        let bytes = Self.bytes(Self.records)
        let ends = bytes.indices.filter { bytes[$0] == UInt8(ascii: "\n") }.map { $0 + 1 }
        for length in bytes.indices {
            let whole = ends.filter { $0 <= length }.count
            let expected = Self.entries(Self.bytes(Array(Self.records.prefix(whole))))
            #expect(Self.entries(Array(bytes.prefix(length))) == expected, "\(length)")
            // What is written after a torn record is read.
            let next = Array(bytes.prefix(length)) + [UInt8(ascii: "\n")] + Self.bytes([.entry(9, Self.full)])
            let complete = ends.filter { $0 <= length + 1 }.count
            let numbered = Self.records.prefix(complete) + [.entry(9, Self.full)]
            #expect(Self.entries(next) == Self.entries(Self.bytes(Array(numbered))), "\(length)")
        }
    }

    @Test func aFlippedBitCostsAtMostItsRecordAndItsNeighbour() {
        let records = Self.records
        let bytes = Self.bytes(records)
        let lines = bytes.split(separator: UInt8(ascii: "\n"))
        var start = 0
        for (index, line) in lines.enumerated() {
            // The line end belongs to two records.
            for offset in start...start + line.count {
                for bit in 0..<8 {
                    var damaged = bytes
                    damaged[offset] ^= 1 << bit
                    var rest = records
                    let isEnd = offset == start + line.count
                    rest.removeSubrange(index...(isEnd ? min(index + 1, records.count - 1) : index))
                    #expect(Self.entries(damaged) == Self.entries(Self.bytes(rest)), "byte \(offset), bit \(bit)")
                }
            }
            start += line.count + 1
        }
    }

    @Test func whatALaterVersionWroteIsSkipped() {
        // Another kind, another field, and another option.
        for (line, isRead) in [
            ("44f2dfa7 * 9 http://host/9", false),
            ("cd31e14a ++ 9 http://host/9", false),
            ("349bc004 + 9 http://host/9\tlater=1", true),
            ("47fbcaf8 + 9 http://host/9\toptions=xr", true),
            ("b054b471 + x http://host/9", false),
            ("5bd01cb1 + 9 ", false),
            ("a1ec3b9e + 99999999999999999999 http://host/9", false),
        ] {
            let bytes = Self.bytes([.entry(1, Self.full)]) + Array((line + "\n").utf8)
            let others = Self.entries(bytes).dropFirst()
            #expect(others.first?.url == (isRead ? "http://host/9" : nil), "\(line)")
        }
    }
}
