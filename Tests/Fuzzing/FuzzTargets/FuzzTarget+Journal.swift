import QueueJournals

extension FuzzTarget {
    /// The bytes of a journal, and a record with them as its values.
    static let journal = FuzzTarget(name: "journal") { bytes throws(BrokenClaim) in
        var reading = JournalReading()
        reading.readNumbers(in: bytes[...])
        var numbers: Set<UInt64> = []
        var isTwice = false
        reading.readEntries(in: bytes[...]) { number, _ in
            if !numbers.insert(number).inserted { isTwice = true }
        }
        try require(!isTwice, "a number comes twice")
        try require(numbers.count <= bytes.count(where: { $0 == UInt8(ascii: "\n") }), "an entry of no line")
        for line in bytes.split(separator: UInt8(ascii: "\n")) {
            guard let record = JournalRecord(line: line) else { continue }
            var written: [UInt8] = []
            record.write(to: &written)
            let again = JournalRecord(line: written.dropLast())
            try require(again == record, "\(record) is read back as \(String(describing: again))")
            try require(written.count(where: { $0 == UInt8(ascii: "\n") }) == 1, "\(record) is not one line")
        }
        // Any text can be a value.
        var entry = JournalEntry(url: "http://host/")
        entry.fileName = String(decoding: bytes, as: UTF8.self)
        entry.mirrors = [entry.fileName ?? ""]
        var written: [UInt8] = []
        JournalRecord.entry(1, entry).write(to: &written)
        try require(JournalRecord(line: written.dropLast()) == .entry(1, entry), "\(entry) is not read back")
    }
}
