import Dispatch
import Foundation
import Locking
import PartialFiles
import Timing

/// The journal of a manager's queue: what was enqueued and has not ended, in a file that survives the process.
///
/// A record is written before the call returns that it is about, and synced within a second. The file is made when the
/// first download is enqueued, and removed when the queue has been empty for a moment, when the manager goes, or when
/// the process exits: so small files one after the other share one journal.
///
/// A journal that cannot be written keeps no download from running. One that somebody has removed is written anew.
final class QueueJournal: Sendable {
    private struct State {
        var file: JournalFile?
        /// Those whose records say that they have not ended.
        var live = NumberSet()
        /// Lines that have not been written.
        var lines: [UInt8] = []
        /// How many records the file has.
        var count = 0
        var unsynced = Unsynced.nothing
        var isTidyingPlanned = false
        var isLookPlanned = false
        var isClosed = false
        var failure: FileSystemError?
        /// Whether records were given up that could not be written.
        var isIncomplete = false
        /// Whether a sync has failed: what was written before it may not be on the medium, and no later sync says so.
        var isDoubtful = false
        /// Held, and so locked, because what they say could not be written here.
        var left: [LeftJournal] = []
        /// The hashes of what has finished here, or was refused: entries of journals that others left, or will leave, may ask
        /// for the same. Taken out of those from time to time.
        var done: Set<Int> = []
    }

    private enum Unsynced {
        case nothing, bytes
        /// A new file, or a new one under the old name.
        case bytesAndName
    }

    let directory: DownloadDirectory
    private let state = Locked(State())

    private let runtime: Runtime
    private let queue: SerialQueue
    /// How long a record waits for its sync; `nil` if it gets none.
    let delay: Duration?
    private let leastEnded: Int
    private let mostDone: Int
    private static let mostUnwritten = 1 << 16
    /// How often somebody looks whether the file is still there.
    private static let timeOfLook = Duration.seconds(5)

    /// - Parameters:
    ///   - delay: how long a record waits for its sync, which must be done within the second that is promised. `nil`: for ever.
    ///   - leastEnded: with fewer ended records than this the file is not compacted.
    ///   - mostDone: so much of what has been done here is remembered for journals that others left.
    init(
        in directory: DownloadDirectory,
        syncAfter delay: Duration? = .milliseconds(400),
        leastEnded: Int = 10_000,
        mostDone: Int = 10_000
    ) {
        (self.directory, self.delay) = (directory, delay)
        (self.leastEnded, self.mostDone) = (leastEnded, mostDone)
        runtime = directory.platform.runtime
        queue = runtime.makeQueue("spate.journal")
        directory.platform.process.atExit(of: self) { [self] in close() }
    }

    /// Why the queue is not kept.
    var failure: FileSystemError? { state.withLock { $0.failure } }

    /// How much of what was done is remembered.
    var doneCount: Int { state.withLock { $0.done.count } }

    /// A download was enqueued.
    ///
    /// - Parameter isOneOfMany: whether `write()` follows. Until then its record need not be in the file.
    func add(_ number: UInt64, _ entry: JournalEntry, isOneOfMany: Bool) {
        state.withLock { state in
            guard !state.isClosed, state.live.insert(number) else { return }
            append(.entry(number, entry), to: &state)
            if !isOneOfMany { write(&state) }
        }
    }

    /// A download has ended, whether it was added or not. May be called under its lock.
    func end(_ download: Download, as state: DownloadState) {
        end(download.serial, done: hash(of: download, as: state))
    }

    /// A download has ended, whether it was added or not. Its record is written by the next `write()`, or soon: a process
    /// that is killed before finds the file finished, or does again what failed.
    ///
    /// - Parameter done: the hash of what was done or refused.
    func end(_ number: UInt64, done: Int? = nil) {
        state.withLock { state in
            guard !state.isClosed, state.live.remove(number) else { return }
            if let done { state.done.insert(done) }
            append(.end(number), to: &state)
        }
    }

    /// Writes what was noted.
    func write() {
        state.withLock { write(&$0) }
    }

    private func append(_ record: JournalRecord, to state: inout State) {
        let start = state.lines.count
        record.write(to: &state.lines)
        if state.lines.count - start > JournalRecord.longestLine { state.lines.removeLast(state.lines.count - start) }
        state.count += 1
        if state.lines.count >= Self.mostUnwritten { write(&state) }
        planTidying(&state)
    }

    private func write(_ state: inout State) {
        guard !state.lines.isEmpty, !state.isClosed else { return }
        do throws(FileSystemError) {
            if state.file == nil {
                state.file = try JournalFile(in: directory)
                state.unsynced = .bytesAndName
            }
            try state.file?.append(state.lines)
            if state.unsynced == .nothing { state.unsynced = .bytes }
            noteSuccess(&state)
        } catch {
            state.failure = state.failure ?? error
            // A few are tried again.
            if state.lines.count < Self.mostUnwritten { return }
            state.isIncomplete = true
        }
        state.lines.removeAll(keepingCapacity: state.lines.count < 2 * Self.mostUnwritten)
    }

    private func noteSuccess(_ state: inout State) {
        if !state.isIncomplete, !state.isDoubtful { state.failure = nil }
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

    /// Removes the file if nothing is left to do; else syncs it, and writes it anew if most of it has ended, or if it is gone.
    func tidyUp() {
        let (sync, rewritten, done) = state.withLock { state in
            state.isTidyingPlanned = false
            if state.isClosed { return ({}, nil as Rewritten?, [] as Set<Int>) }
            let done = state.done.count < mostDone ? [] : state.done
            if !done.isEmpty { state.done = [] }
            if state.live.isEmpty {
                remove(&state)
                return ({}, nil, done)
            }
            write(&state)
            planLook(&state)
            let rewritten = state.file.map { file in
                let isLong = state.count > 2 * state.live.count + leastEnded
                return (file, state.live, isNeeded: isLong || isUnsafe(file, state))
            }
            return (planSync(&state), rewritten, done)
        }
        // Without the lock: a disk may take long.
        sync()
        if let rewritten, rewritten.isNeeded { rewrite(rewritten) }
        if !done.isEmpty { takeOutOfLeftJournals(done) }
    }

    /// What syncs the file as it is now.
    private func planSync(_ state: inout State) -> () -> Void {
        defer { state.unsynced = .nothing }
        guard let file = state.file, state.unsynced != .nothing else { return {} }
        let syncsName = state.unsynced == .bytesAndName
        return { [self] in
            do throws(FileSystemError) {
                try file.sync(withName: syncsName)
            } catch {
                self.state.withLock { state in
                    state.failure = state.failure ?? error
                    state.isDoubtful = true
                }
            }
        }
    }

    // MARK: Writing anew

    private typealias Rewritten = (file: JournalFile, live: NumberSet, isNeeded: Bool)

    /// Whether a process that came after a kill might not find what the file says.
    private func isUnsafe(_ file: JournalFile, _ state: State) -> Bool {
        state.isDoubtful || file.isLost(from: directory)
    }

    private func rewrite(_ rewritten: Rewritten) {
        let copy = Result { () throws(FileSystemError) in
            try rewritten.file.compacted(in: directory, keeping: rewritten.live.contains)
        }
        let sync = state.withLock { state in
            replace(with: copy, count: rewritten.live.count, &state)
            return planSync(&state)
        }
        sync()
    }

    private func replace(with copy: Result<CompactedJournal, FileSystemError>, count: Int, _ state: inout State) {
        // If this fails, it is tried again when there is more to gain.
        state.count = min(state.count, count)
        do throws(FileSystemError) {
            let copy = try copy.get()
            guard !state.isClosed, state.file != nil else { return copy.remove() }
            try state.file?.replace(with: copy)
            (state.unsynced, state.isDoubtful) = (.bytesAndName, false)
            noteSuccess(&state)
        } catch {
            guard let file = state.file, isUnsafe(file, state) else { return }
            state.failure = state.failure ?? error
        }
    }

    /// What was not written need not be: that it was enqueued and has ended.
    private func remove(_ state: inout State) {
        (state.lines, state.isIncomplete, state.isDoubtful) = ([], false, false)
        guard let file = state.file.take() else { return }
        try? file.remove()
        (state.count, state.unsynced) = (0, .nothing)
    }

    /// Removes the file at once if nothing is left to do.
    func removeIfDone() {
        state.withLock { state in
            if state.live.isEmpty { remove(&state) } else { write(&state) }
        }
    }

    /// The manager goes, or the process exits: what has not ended stays in the file, for the next one to restore.
    func close() {
        let last = state.withLock { state -> (sync: () -> Void, done: Set<Int>)? in
            guard !state.isClosed else { return nil }
            if state.live.isEmpty { remove(&state) } else { write(&state) }
            if let file = state.file, isUnsafe(file, state) {
                let live = state.live
                let copy = Result { () throws(FileSystemError) in
                    try file.compacted(in: directory, keeping: live.contains)
                }
                replace(with: copy, count: live.count, &state)
            }
            let sync = planSync(&state)
            state.isClosed = true
            defer { (state.file, state.left, state.done) = (nil, [], []) }
            return (sync, state.done)
        }
        directory.platform.process.forgetExit(of: self)
        guard let last else { return }
        last.sync()
        takeOutOfLeftJournals(last.done)
    }

    // MARK: Journals of others

    /// Writes and syncs what was noted; false if the queue is not kept.
    func writeDurably() -> Bool {
        let sync = state.withLock { state in
            write(&state)
            return planSync(&state)
        }
        sync()
        return failure == nil
    }

    /// Holds a journal whose entries run here, so that nobody else runs them.
    func hold(_ left: LeftJournal) {
        state.withLock { $0.left.append(left) }
    }
}
