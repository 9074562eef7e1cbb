import QueueJournals
import Testing

@Suite struct JournalRecordTests {
    private static let full: JournalEntry = {
        var entry = JournalEntry(url: "https://host/a?b=c")
        entry.fileName = "naïve \\n=name"
        entry.naming = .automatic
        entry.folder = "/a\tb\nc\\"
        entry.priority = -4
        entry.expectedBytes = 5
        entry.maximumBytes = .max
        entry.checksum = "md5:900150983cd24fb0d6963f7d28e17f72"
        entry.mirrors = ["https://mirror/1", "https://mirror/2"]
        entry.connections = 4
        entry.replacesExistingFile = true
        entry.allowsInsecureRedirects = true
        entry.checksForUpdate = true
        entry.skipsExistingFile = true
        entry.keepsServerTime = false
        entry.maxBytesPerSecond = 7
        return entry
    }()

    private static let records: [JournalRecord] = [
        .entry(1, JournalEntry(url: "http://host/1")), .entry(2, full), .end(1),
        .entry(.max, JournalEntry(url: "http://host/3")),
    ]

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

    @Test func everyFieldIsReadBack() {
        #expect(Self.entries(Self.bytes(Self.records)) == [Self.full, JournalEntry(url: "http://host/3")])
        let line = Self.bytes([.entry(17, Self.full)]).dropLast()
        #expect(JournalRecord(line: line[...]) == .entry(17, Self.full))
    }

    @Test func theFormIsStable() {
        var entry = JournalEntry(url: "https://host/file")
        entry.fileName = "a.bin"
        entry.maximumBytes = 500
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
