/// What a journal says: the downloads that were enqueued and have not ended.
package struct JournalReading: Sendable {
    private var entriesByNumber: [UInt64: JournalEntry] = [:]

    package init() {}

    /// In the order in which they were enqueued.
    package var entries: [JournalEntry] { entriesByNumber.sorted { $0.key < $1.key }.map(\.value) }

    /// Reads lines. What is damaged is skipped, and so is a last line without an end: it was being written when the
    /// process ended.
    package mutating func read(_ lines: ArraySlice<UInt8>) {
        var rest = lines
        while let end = rest.firstIndex(of: UInt8(ascii: "\n")) {
            switch JournalRecord(line: rest[..<end]) {
            case .entry(let number, let entry): entriesByNumber[number] = entry
            case .end(let number): entriesByNumber[number] = nil
            case nil: break
            }
            rest = rest[(end + 1)...]
        }
    }
}
