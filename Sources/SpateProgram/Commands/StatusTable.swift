import Foundation
import Spate

/// The table of `spate status`.
///
/// A queue may have a million downloads. So a row is made only when it is measured or written, and no two are kept.
struct StatusTable {
    let content: FolderContent
    let paths: FolderPaths

    /// How many finished and waiting downloads a terminal shows at first.
    private static let fewest = 5

    /// Writes all rows whole: the stored files, what waits, and what failed without a file.
    ///
    /// Programs read them. They must find no other line: a summary would be counted, or found by a search for a state.
    ///
    /// - Parameter write: writes a line, or returns `false` if that is not possible any more.
    /// - Returns: whether all was written.
    func write(_ write: (String) -> Bool) -> Bool {
        var columns = StatusColumns()
        let rows = rows()
        for row in rows { columns.fit(row) }
        return rows.allSatisfy { write(columns.line($0)) }
    }

    /// Writes a summary, and rows that fit a terminal: what runs, is partial, has failed or was changed, and the first few that wait
    /// or are finished.
    ///
    /// - Parameter showsAll: whether to show all of these.
    func write(width: Int, showsAll: Bool, _ write: (String) -> Bool) -> Bool {
        let summary = summary
        guard write(summary.text) else { return false }
        var columns = StatusColumns()
        var hidden: [(state: StatusRow.State, count: Int)] = []
        var parts: [AnySequence<StatusRow>] = []
        for state in [StatusRow.State.running, .partial, .failed, .changed, .waiting, .finished] {
            let count = summary.count(of: state)
            // A line for one more would take as much room as that one.
            let isCut = !showsAll && (state == .waiting || state == .finished) && count > Self.fewest + 1
            if isCut { hidden.append((state, count - Self.fewest)) }
            parts.append(AnySequence(rows { $0 == state }.prefix(isCut ? Self.fewest : .max)))
        }
        for part in parts { for row in part { columns.fitOnTerminal(row) } }
        // The last column of a terminal stays free, because terminals differ in how they wrap.
        for part in parts { for row in part where !write(columns.line(row, in: width - 1)) { return false } }
        guard !hidden.isEmpty else { return true }
        let more = hidden.map { "\($0.count) more \($0.state.rawValue)" }.joined(separator: ", ")
        return write("and \(more); spate status --all shows them")
    }

    var summary: StatusSummary {
        var summary = StatusSummary()
        for row in rows() { summary.add(row) }
        return summary
    }

    /// The stored files, what waits, and what failed without a file.
    func rows(where isShown: @escaping (StatusRow.State) -> Bool = { _ in true }) -> AnySequence<StatusRow> {
        let stored = content.stored.lazy.filter { isShown(StatusRow.State($0)) }
            .map { StatusRow($0, content.error(of: $0), in: paths) }
        let waiting = (isShown(.waiting) ? content.waiting : []).lazy.map { StatusRow(.waiting, $0, in: paths) }
        let failed = (isShown(.failed) ? content.failures : []).lazy
            .map { StatusRow(.failed, $0.request, $0.error, in: paths) }
        return AnySequence([AnySequence(stored), AnySequence(waiting), AnySequence(failed)].joined())
    }
}
