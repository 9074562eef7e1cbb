import Foundation
import SpateFileSystemCalls
import SpateLocking
import SpatePartialFiles
import SpateQueueJournals
import SpateTiming

/// The journal of a manager's queue: its unfinished downloads, in a file that survives the process.
///
/// The call that enqueues a download returns after its record is written. The record is synced within a second. The
/// file is made for the first download, and removed when the queue has been empty for a moment, when the manager goes,
/// or when the process exits. So small files in a row share one journal.
///
/// Downloads run even if the journal cannot be written. A removed journal is written again.
final class QueueJournal: Sendable {
    private struct State {
        var writer: JournalWriter
        var left = LeftQueues()
        var isTidyingPlanned = false
        var isLookPlanned = false
        var lastFields = LastFields()

        /// Writes the last records. Unfinished downloads stay in the file, for the next process to restore. Returns the
        /// remaining work, to do without the lock; `nil` if it was closed before.
        mutating func close() -> (sync: JournalWriter.Sync?, file: JournalFile?, done: DoneWork)? {
            if writer.machine.isClosed { return nil }
            // Other processes may take over the held journals.
            defer { left = LeftQueues() }
            let (sync, file) = writer.close()
            return (sync, file, left.takeDone(atLeast: 0) ?? DoneWork())
        }
    }

    let directory: DownloadDirectory
    private let state: Locked<State>

    private let runtime: Runtime
    private let queue: SerialQueue
    /// How long a record waits for its sync; `nil` if it gets none.
    let delay: Duration?
    private let mostDone: Int
    /// How often to check that the file still exists.
    private static let timeOfLook = Duration.seconds(5)

    /// - Parameters:
    ///   - delay: how long a record waits for its sync, well below the promised second; `nil` for ever.
    ///   - leastEnded: a file with fewer ended records is not rewritten.
    ///   - mostDone: how many ends to remember before removing them from abandoned queues.
    init(
        in directory: DownloadDirectory,
        syncAfter delay: Duration? = .milliseconds(400),
        leastEnded: Int = 10_000,
        mostDone: Int = 10_000
    ) {
        (self.directory, self.delay, self.mostDone) = (directory, delay, mostDone)
        state = Locked(State(writer: JournalWriter(in: directory, JournalMachine(leastEnded: leastEnded))), .journal)
        runtime = directory.platform.runtime
        queue = runtime.makeQueue("spate.journal")
        directory.platform.process.atExit(of: self) { [self] in close() }
    }

    /// Why the queue is not kept.
    var failure: FileSystemError? { state.withLock { $0.writer.failure } }

    /// How many ends are remembered for abandoned queues.
    var doneCount: Int { state.withLock { $0.left.doneCount } }

    /// A download was enqueued.
    ///
    /// - Parameters:
    ///   - isOneOfMany: whether `write()` follows, which may write its record.
    ///   - fields: what to write besides its URL.
    func add(
        _ number: UInt64,
        _ url: String,
        isOneOfMany: Bool,
        _ fields: (inout LastFields) -> JournalRecord.Fields
    ) {
        state.withLock { state in
            guard state.writer.machine.add(number, url, fields(&state.lastFields)) else { return }
            if !isOneOfMany || state.writer.machine.mustWrite { state.writer.write() }
            planTidying(&state)
        }
    }

    /// A download has ended, whether it was added or not. May be called under its lock. The next `write()` writes its
    /// record, or a write soon after. If the process is killed before, the next one finds the file finished, or repeats
    /// the failure.
    func end(_ number: UInt64, _ work: EndedWork? = nil) {
        state.withLock { state in
            let isKnown =
                if case .failed(let entry, let failure) = work?.failure {
                    state.writer.machine.fail(number, entry, failure)
                } else {
                    state.writer.machine.end(number)
                }
            guard isKnown else { return }
            if let work { state.left.note(work) }
            if state.writer.machine.mustWrite { state.writer.write() }
            planTidying(&state)
        }
    }

    /// The failures of these requests are over.
    func endFailures(where isOver: (JournalEntry) -> Bool) throws(FileSystemError) {
        try state.withLock { state throws(FileSystemError) in
            try state.writer.endFailures(where: isOver)
            planTidying(&state)
        }
    }

    /// Writes the unwritten records.
    func write() {
        state.withLock { $0.writer.write() }
    }

    /// Removes the file at once if nothing is left to do.
    func removeIfDone() {
        state.withLock { $0.writer.removeIfDone() }
    }

    // MARK: Tidying up

    private func planTidying(_ state: inout State) {
        guard !state.isTidyingPlanned, let delay else { return }
        state.isTidyingPlanned = true
        later(delay) { $0.tidyUp() }
    }

    private func planLook(_ state: inout State) {
        guard !state.isLookPlanned, delay != nil else { return }
        state.isLookPlanned = true
        later(Self.timeOfLook) { journal in
            journal.state.withLock { $0.isLookPlanned = false }
            journal.tidyUp()
        }
    }

    private func later(_ delay: Duration, _ work: @escaping @Sendable (QueueJournal) -> Void) {
        runtime.after(delay) { [weak self] in self?.queue.async { [weak self] in self.map(work) } }
    }

    /// Removes the file if nothing is left to do; else syncs it, and rewrites it if most of it has ended or it is gone.
    func tidyUp() {
        let (sync, rewriting, done) = state.withLock { state in
            state.isTidyingPlanned = false
            let tidying = state.writer.machine.tidying
            if tidying == .nothing {
                return (nil as JournalWriter.Sync?, nil as JournalWriter.Rewriting?, nil as DoneWork?)
            }
            let done = state.left.takeDone(atLeast: mostDone)
            state.writer.removeIfDone()
            if tidying == .remove { return (nil, nil, done) }
            // Nobody needs failures at once. If their file is gone, the next record or the close writes them again.
            if state.writer.machine.hasDownloads { planLook(&state) }
            return (state.writer.takeSync(), state.writer.rewriting(), done)
        }
        // Without the lock: a disk may take long.
        run(sync)
        if let rewriting { rewrite(rewriting) }
        if let done { directory.endLeftEntries(done: done) }
    }

    private func run(_ sync: JournalWriter.Sync?) {
        do throws(FileSystemError) {
            try sync?.run()
        } catch {
            state.withLock { $0.writer.failedToSync(error) }
        }
    }

    private func rewrite(_ rewriting: JournalWriter.Rewriting) {
        let copy = rewriting.copy()
        let sync = state.withLock { state in
            state.writer.replace(rewriting, with: copy)
            return state.writer.takeSync()
        }
        run(sync)
    }

    /// The manager goes, or the process exits.
    func close() {
        let rest = state.withLock { $0.close() }
        directory.platform.process.forgetExit(of: self)
        guard let (sync, file, done) = rest else { return }
        // Nobody can ask any more why the queue is not kept.
        try? sync?.run()
        // It stays locked until the end, so that its own failures do not count as earlier ones.
        withExtendedLifetime(file) { directory.endLeftEntries(done: done) }
    }

    // MARK: Left queues

    /// Ends these entries, which were added here, in the abandoned journals, unless they could not be written here.
    func replace(_ entries: [(journal: LeftJournal, numbers: NumberSet)]) {
        if entries.isEmpty { return }
        let isKept = writeDurably()
        for (journal, numbers) in entries {
            do throws(FileSystemError) {
                if isKept { try journal.end(numbers) } else { hold(journal) }
            } catch {
                hold(journal)
            }
        }
    }

    /// Writes and syncs the records; false if the queue is not kept.
    private func writeDurably() -> Bool {
        let sync = state.withLock { state in
            state.writer.write()
            return state.writer.takeSync()
        }
        run(sync)
        return failure == nil
    }

    /// Holds a journal whose entries run here, so that no other process runs them.
    func hold(_ left: LeftJournal) {
        state.withLock { $0.left.hold(left) }
    }

    /// Removes the held journals.
    func removeHeld() throws(FileSystemError) {
        for left in state.withLock({ $0.left.takeHeld() }) { try left.remove() }
    }
}
