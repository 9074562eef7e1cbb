import SpateFilePaths
import SpatePartialFiles
import SpateTiming

/// The names of journals and of their unfinished copies. See also `isJournal`.
extension FileName {
    /// A journal is compacted under its name with this ending, then renamed.
    static let unfinishedJournalEnding = ".tmp"

    /// A name for a journal: sorted by time, and hard to guess. It is never a sidecar's name, which ends in `.spate`.
    static func newJournal(_ runtime: Runtime, ending: String) -> FilePath {
        let digits = { (value: UInt64) in
            let text = String(value, radix: 16)
            return String(repeating: "0", count: 16 - text.count) + text
        }
        let (seconds, attoseconds) = runtime.wallClock().components
        let time = UInt64(clamping: seconds) &* 1_000_000_000 &+ UInt64(clamping: attoseconds / 1_000_000_000)
        return "\(journalPrefix)\(digits(time))-\(digits(runtime.randomBits()))\(ending)"
    }

    static func isUnfinishedJournal(_ name: FilePath) -> Bool {
        let start = name.bytes.dropLast(unfinishedJournalEnding.utf8.count)
        return name.bytes[start.endIndex...].elementsEqual(unfinishedJournalEnding.utf8)
            && isJournal(FilePath(String(Substring(start))))
    }
}
