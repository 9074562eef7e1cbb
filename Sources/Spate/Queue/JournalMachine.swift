import SpateQueueJournals

/// The rules of a queue's journal, without a disk: which lines to write, what to sync, when to remove the file and when
/// to rewrite it.
struct JournalMachine {
    /// What the next sync must cover.
    enum Unsynced {
        case nothing, bytes
        /// The file is new, or has replaced another.
        case bytesAndName
    }

    /// What to do some time after a record.
    enum Tidying {
        case nothing
        /// Remove the file: nothing is left to do.
        case remove
        /// Write the lines, sync them, and rewrite the file if it is long.
        case keep
    }

    private static let mostUnwritten = 1 << 16

    private let leastEnded: Int
    /// The downloads and failures without an end in the records.
    private(set) var live = NumberSet()
    /// How many of these are failures.
    private var failureCount = 0
    /// The unwritten records.
    private(set) var lines: [UInt8] = []
    /// The number of records in the file and the lines.
    private var count = 0
    private var unsynced = Unsynced.nothing
    private(set) var isClosed = false
    /// Whether unwritable lines were dropped.
    private var isIncomplete = false
    /// Whether a sync has failed. Earlier writes may be lost, and no later sync reports that.
    private(set) var isDoubtful = false

    /// - Parameter leastEnded: a file with fewer ended records is never long.
    init(leastEnded: Int) {
        self.leastEnded = leastEnded
    }

    // MARK: Records

    /// A download was enqueued. Returns false if it is known, or if the journal is closed.
    mutating func add(_ number: UInt64, _ url: String, _ fields: JournalRecord.Fields) -> Bool {
        guard !isClosed, live.insert(number) else { return false }
        append { JournalRecord.writeEntry(number, url, fields, to: &$0) }
        return true
    }

    /// A download has ended. Returns false if it was not added, or if the journal is closed.
    mutating func end(_ number: UInt64) -> Bool {
        guard !isClosed, live.remove(number) else { return false }
        append(.end(number))
        return true
    }

    /// A download has ended with a failure, which stays until `end(failures:)`. Returns false like `end(_:)`.
    mutating func fail(_ number: UInt64, _ entry: JournalEntry, _ failure: JournalFailure) -> Bool {
        guard !isClosed, live.contains(number) else { return false }
        let own = JournalRecord.failureNumber(of: number)
        // First the failure: of a torn write, the download or the failure remains.
        if append(.failure(own, entry, failure)), live.insert(own) { failureCount += 1 }
        return end(number)
    }

    /// These failures are over. Ignores numbers that are not failures, or have ended.
    mutating func end(failures numbers: NumberSet) {
        if isClosed { return }
        numbers.forEach { number in
            if remove(failure: number) { append(.end(number)) }
        }
    }

    private mutating func remove(failure number: UInt64) -> Bool {
        guard JournalRecord.isFailure(number), live.remove(number) else { return false }
        failureCount -= 1
        return true
    }

    var hasFailures: Bool { failureCount > 0 }

    var hasDownloads: Bool { live.count > failureCount }

    /// Returns whether the record is short enough.
    @discardableResult
    private mutating func append(_ record: JournalRecord) -> Bool { append { record.write(to: &$0) } }

    @discardableResult
    private mutating func append(_ write: (inout [UInt8]) -> Void) -> Bool {
        let start = lines.count
        write(&lines)
        let isShort = lines.count - start <= JournalRecord.longestLine
        if !isShort { lines.removeLast(lines.count - start) }
        count += 1
        return isShort
    }

    // MARK: Writes and syncs

    /// Whether there are so many lines that they must be written now.
    var mustWrite: Bool { lines.count >= Self.mostUnwritten }

    mutating func madeFile() { unsynced = .bytesAndName }

    mutating func wroteLines() {
        if unsynced == .nothing { unsynced = .bytes }
        dropLines()
    }

    /// Keeps a few lines for the next write, but drops many.
    mutating func failedToWriteLines() {
        guard mustWrite else { return }
        isIncomplete = true
        dropLines()
    }

    private mutating func dropLines() {
        lines.removeAll(keepingCapacity: lines.count < 2 * Self.mostUnwritten)
    }

    /// What the next sync must cover. It counts as synced from now on.
    mutating func takeUnsynced() -> Unsynced {
        defer { unsynced = .nothing }
        return unsynced
    }

    mutating func failedToSync() { isDoubtful = true }

    // MARK: The whole file

    /// Whether all records are in the file, and no sync of them has failed.
    var isWhole: Bool { !isIncomplete && !isDoubtful }

    var tidying: Tidying { isClosed ? .nothing : live.isEmpty ? .remove : .keep }

    /// Whether most records have ended, and many.
    var isLong: Bool { count > 2 * live.count + leastEnded }

    /// The file was removed. The unwritten lines are about ended downloads and not needed.
    mutating func removedFile() {
        (lines, isIncomplete, isDoubtful, count, unsynced) = ([], false, false, 0, .nothing)
    }

    /// A copy with this many records will replace the file. If that fails, the file is not long until more has ended.
    mutating func beginReplacing(withRecords liveCount: Int) { count = min(count, liveCount) }

    /// - Parameter void: failures that the copy has left out.
    mutating func replacedFile(without void: NumberSet = NumberSet()) {
        (unsynced, isDoubtful) = (.bytesAndName, false)
        void.forEach { number in
            if remove(failure: number) { count -= 1 }
        }
    }

    /// Nothing more is noted or written.
    mutating func close() { isClosed = true }
}
