import SpateFilePaths
import SpateFileSystemCalls

/// Reads a journal: the enqueued downloads that have not ended, and the failures.
///
/// Reads the journal twice, first the numbers and then the entries, so that a long queue is never in memory as a whole.
/// Skips damaged lines, and an unfinished last line, which the process was writing when it ended.
package struct JournalReading: Sendable {
    /// The numbers without an end whose entries have not been returned yet.
    private var numbers = NumberSet()
    /// The same of failures.
    private var failures = NumberSet()

    package init() {}

    /// How many downloads and failures have not ended. Also counts those that this version does not understand.
    var count: Int { numbers.count + failures.count }

    /// Reads lines for the first time.
    package mutating func readNumbers(in lines: ArraySlice<UInt8>) {
        JournalRecord.forEachLine(of: lines) { line in
            switch JournalRecord.Head(line: line) {
            case .entry(let number): _ = numbers.insert(number)
            case .failure(let number): _ = failures.insert(number)
            case .end(let number): if !numbers.remove(number) { _ = failures.remove(number) }
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

    /// Like `readEntries`, with the failures.
    package mutating func readFailures(
        in lines: ArraySlice<UInt8>,
        _ body: (UInt64, JournalEntry, JournalFailure) -> Void
    ) {
        JournalRecord.forEachLine(of: lines) { line in
            guard case .failure(let number)? = JournalRecord.Head(line: line), failures.contains(number),
                case .failure(_, let entry, let failure)? = JournalRecord(line: line)
            else { return }
            _ = failures.remove(number)
            body(number, entry, failure)
        }
    }
}

extension JournalReading {
    init(numbersOf file: OpenFile) throws(FileSystemError) {
        self.init()
        try JournalFile.forEachPiece(of: file) { piece in
            readNumbers(in: piece)
            return true
        }
    }

    func forEachEntry(of file: OpenFile, _ body: (UInt64, JournalEntry) -> Void) throws(FileSystemError) {
        if numbers.isEmpty { return }
        let isProven = try JournalProof.holds(for: file)
        var reading = self
        try JournalFile.forEachPiece(of: file) { piece in
            reading.readEntries(in: piece) { body($0, isProven ? $1 : $1.confined) }
            return !reading.numbers.isEmpty
        }
    }

    /// Reads the failures that are not void, and their requests.
    ///
    /// - Returns: the void failures.
    @discardableResult
    func forEachFailure(
        of file: OpenFile,
        _ body: (UInt64, JournalEntry, JournalFailure) -> Void
    ) throws(FileSystemError) -> NumberSet {
        if failures.isEmpty { return NumberSet() }
        var void = VoidFailures()
        try JournalFile.forEachPiece(of: file) { piece in
            void.read(piece, isLive: failures.contains)
            return true
        }
        let isProven = try JournalProof.holds(for: file)
        var reading = self
        try JournalFile.forEachPiece(of: file) { piece in
            reading.readFailures(in: piece) { number, entry, failure in
                if !void.numbers.contains(number) { body(number, isProven ? entry : entry.confined, failure) }
            }
            return !reading.failures.isEmpty
        }
        return void.numbers
    }
}

/// The failures in a journal whose file was enqueued again later. Only the journal knows them, so that its writer needs
/// no memory for each failure.
package struct VoidFailures: Sendable {
    private(set) package var numbers = NumberSet()
    /// The failures by the hashes of their places.
    private var places: [Int: UInt64] = [:]

    package init() {}

    /// - Parameter isLive: whether the failure of this number has no end.
    package mutating func read(_ lines: ArraySlice<UInt8>, isLive: (UInt64) -> Bool) {
        JournalRecord.forEachLine(of: lines) { line in
            switch JournalRecord.Head(line: line) {
            case .failure(let number) where isLive(number):
                guard case .failure(_, let entry, _)? = JournalRecord(line: line),
                    let earlier = places.updateValue(number, forKey: entry.placeHash(ownFolder: ""))
                else { return }
                _ = numbers.insert(earlier)
            case .entry where !places.isEmpty:
                guard case .entry(_, let entry)? = JournalRecord(line: line),
                    let failed = places.removeValue(forKey: entry.placeHash(ownFolder: ""))
                else { return }
                _ = numbers.insert(failed)
            default: break
            }
        }
    }
}
