/// What a journal says: the downloads that were enqueued and have not ended.
///
/// It is read twice, first for the numbers and then for the entries, so that the entries of a long queue are never in
/// memory together. What is damaged is skipped, and so is a last line without an end: it was being written when the process
/// ended.
package struct JournalReading: Sendable {
    /// Those that have not ended, as far as was read, and that were not returned yet.
    private var numbers = NumberSet()

    package init() {}

    /// Whether nothing is left to do.
    package var isEmpty: Bool { numbers.isEmpty }

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
            return true
        }
    }

    /// Reads lines again, and calls a closure with the entries in the order in which they were enqueued, until it returns
    /// false. Each number comes once; one whose entry this version does not understand never comes.
    ///
    /// - Returns: whether the closure returned true for all.
    @discardableResult
    package mutating func readEntries(
        in lines: ArraySlice<UInt8>,
        _ body: (UInt64, JournalEntry) -> Bool
    ) -> Bool {
        JournalRecord.forEachLine(of: lines) { line in
            guard case .entry(let number)? = JournalRecord.Head(line: line), numbers.contains(number),
                case .entry(_, let entry)? = JournalRecord(line: line)
            else { return true }
            _ = numbers.remove(number)
            return body(number, entry)
        }
    }
}
