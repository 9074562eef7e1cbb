/// Reads a journal: the downloads that were enqueued and have not ended.
///
/// The journal is read twice, first for the numbers and then for the entries, so that the entries of a long queue are never
/// in memory together. Damaged lines are skipped, and so is a last line without an end: the process ended while it wrote it.
package struct JournalReading: Sendable {
    /// The numbers that were read, have no end, and whose entries have not been returned yet.
    private var numbers = NumberSet()

    package init() {}

    /// Whether nothing is left to do.
    var isEmpty: Bool { numbers.isEmpty }

    /// How many have not ended.
    var count: Int { numbers.count }

    /// Reads lines for the first time.
    package mutating func readNumbers(in lines: ArraySlice<UInt8>) {
        JournalRecord.forEachLine(of: lines) { line in
            switch JournalRecord.Head(line: line) {
            case .entry(let number): _ = numbers.insert(number)
            case .end(let number): _ = numbers.remove(number)
            case nil: break
            }
        }
    }

    /// Reads lines again, and calls a closure with the entries in the order in which they were enqueued. Each number comes
    /// once; one whose entry this version does not understand never comes.
    package mutating func readEntries(in lines: ArraySlice<UInt8>, _ body: (UInt64, JournalEntry) -> Void) {
        JournalRecord.forEachLine(of: lines) { line in
            guard case .entry(let number)? = JournalRecord.Head(line: line), numbers.contains(number),
                case .entry(_, let entry)? = JournalRecord(line: line)
            else { return }
            _ = numbers.remove(number)
            body(number, entry)
        }
    }
}
