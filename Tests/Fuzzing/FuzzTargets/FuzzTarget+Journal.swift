import SpateQueueJournals

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
        var failures: Set<UInt64> = []
        reading.readFailures(in: bytes[...]) { number, _, failure in
            if !failures.insert(number).inserted || failure.message.utf8.count > JournalFailure.longestMessage {
                isTwice = true
            }
        }
        try require(!isTwice, "a number comes twice, or a message is long")
        var void = VoidFailures()
        void.read(bytes[...]) { _ in true }
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
        let text = String(decoding: bytes, as: UTF8.self)
        (entry["name"], entry[all: "mirror"]) = (text, [text, text])
        var written: [UInt8] = []
        JournalRecord.entry(1, entry).write(to: &written)
        try require(JournalRecord(line: written.dropLast()) == .entry(1, entry), "\(entry) is not read back")
        guard let failure = JournalFailure(code: "c", message: text) else { return }
        let record = JournalRecord.failure(JournalRecord.failureNumber(of: 1), entry, failure)
        written = []
        record.write(to: &written)
        try require(JournalRecord(line: written.dropLast()) == record, "\(record) is not read back")
    }
}
