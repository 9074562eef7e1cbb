/// Reads a journal: the enqueued downloads that have not ended.
///
/// Reads the journal twice, first the numbers and then the entries, so that a long queue is never in memory as a whole.
/// Skips damaged lines, and an unfinished last line, which the process was writing when it ended.
package struct JournalReading: Sendable {
    /// The numbers without an end whose entries have not been returned yet.
    private var numbers = NumberSet()

    package init() {}

    /// Whether nothing is left to do.
    var isEmpty: Bool { numbers.isEmpty }

    /// How many downloads have not ended.
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

    /// Reads lines again, and calls a closure with the entries in the order of enqueueing. Each number comes once;
    /// entries that this version does not understand never come.
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
