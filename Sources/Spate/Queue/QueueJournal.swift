import Dispatch
import Foundation
import HTTPResumption
import Locking
import PartialFiles

/// The journal of a manager's queue: what was enqueued and has not ended, in a file that survives the process.
///
/// A record is written before the call returns that it is about, and synced within a second. The file is made when the
/// first download is enqueued, and removed when the queue has been empty for a moment, when the manager goes, or when
/// the process exits: so small files one after the other share one journal.
///
/// A journal that cannot be written keeps no download from running.
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
        var isClosed = false
        var failure: FileSystemError?
        /// Held, and so locked, because what they say could not be written here.
        var left: [LeftJournal] = []
        /// The hashes of what has been done here and does not show in the finished file.
        var done: Set<Int> = []
    }

    private enum Unsynced {
        case nothing, bytes
        /// A new file, or a new one under the old name.
        case bytesAndName
    }

    let directory: DownloadDirectory
    private let state = Locked(State())

    // Serial, because the threads of a serial queue are not taken from Dispatch's shared pool, which the program may
    // block.
    private let queue = DispatchQueue(label: "spate.journal")
    let delay: DispatchTimeInterval
    private let leastEnded: Int
    private static let mostUnwritten = 1 << 16

    /// Those that have not been closed. They are closed when the process exits.
    private static let open = Locked<[ObjectIdentifier: QueueJournal]>([:])
    private static let owner: pid_t = {
        atexit {
            // A forked child has no part in its parent's journals.
            guard getpid() == QueueJournal.owner else { return }
            for journal in QueueJournal.open.withLock({ Array($0.values) }) { journal.close() }
        }
        return getpid()
    }()

    /// - Parameters:
    ///   - delay: how long a record waits for its sync, which must be done within the second that is promised.
    ///   - leastEnded: with fewer ended records than this the file is not compacted.
    init(
        in directory: DownloadDirectory,
        syncAfter delay: DispatchTimeInterval = .milliseconds(400),
        leastEnded: Int = 10_000
    ) {
        (self.directory, self.delay, self.leastEnded) = (directory, delay, leastEnded)
        _ = Self.owner
        Self.open.withLock { $0[ObjectIdentifier(self)] = self }
    }

    /// Why the queue is not kept.
    var failure: FileSystemError? { state.withLock { $0.failure } }

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
        var done: Int?
        if let valid = download.valid, download.enqueuedRequest.needsAttempt, case .finished = state {
            let entry = JournalEntry(download.enqueuedRequest, valid, ownFolder: directory.path)
            done = entry.hash(ownFolder: directory.path)
        }
        end(download.serial, done: done)
    }

    /// A download has ended, whether it was added or not. Its record is written by the next `write()`, or soon: a process
    /// that is killed before finds the file finished, or does again what failed.
    ///
    /// - Parameter done: the hash of what was done, if the finished file does not show it.
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
        } catch {
            state.failure = state.failure ?? error
        }
        state.lines.removeAll(keepingCapacity: state.lines.count < 2 * Self.mostUnwritten)
    }

    // MARK: Tidying up

    private func planTidying(_ state: inout State) {
        guard !state.isTidyingPlanned else { return }
        state.isTidyingPlanned = true
        queue.asyncAfter(deadline: .now() + delay) { [weak self] in self?.tidyUp() }
    }

    /// Removes the file if nothing is left to do; else syncs it, and compacts it if most of it has ended.
    func tidyUp() {
        let (sync, compaction) = state.withLock { state -> (() -> Void, (file: JournalFile, live: NumberSet)?) in
            state.isTidyingPlanned = false
            guard !state.isClosed else { return ({}, nil) }
            if state.live.isEmpty {
                remove(&state)
                return ({}, nil)
            }
            write(&state)
            let isLong = state.count > 2 * state.live.count + leastEnded
            return (planSync(&state), isLong ? state.file.map { ($0, state.live) } : nil)
        }
        // Without the lock: a disk may take long.
        sync()
        if let compaction { compact(compaction.file, keeping: compaction.live) }
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
                self.state.withLock { $0.failure = $0.failure ?? error }
            }
        }
    }

    private func compact(_ file: JournalFile, keeping live: NumberSet) {
        guard let copy = try? file.compacted(keeping: live.contains) else { return delayCompaction(to: live.count) }
        let sync = state.withLock { state -> () -> Void in
            guard !state.isClosed, state.file != nil, (try? state.file?.replace(with: copy)) != nil else {
                copy.remove()
                return {}
            }
            (state.count, state.unsynced) = (live.count, .bytesAndName)
            return planSync(&state)
        }
        sync()
    }

    /// The file is as it was. It is tried again when there is more to gain.
    private func delayCompaction(to count: Int) {
        state.withLock { $0.count = count }
    }

    /// What was not written need not be: that it was enqueued and has ended.
    private func remove(_ state: inout State) {
        state.lines = []
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
        let done = state.withLock { state -> (sync: () -> Void, done: Set<Int>)? in
            guard !state.isClosed else { return nil }
            if state.live.isEmpty { remove(&state) } else { write(&state) }
            let sync = planSync(&state)
            state.isClosed = true
            (state.file, state.left) = (nil, [])
            return (sync, state.done)
        }
        Self.open.withLock { $0[ObjectIdentifier(self)] = nil }
        guard let done else { return }
        done.sync()
        removeLeftovers(done.done)
    }

    // MARK: Journals of others

    /// What they say has been added here, so they go, unless it could not be written.
    func replace(_ left: [LeftJournal]) {
        if left.isEmpty { return }
        let sync = state.withLock { state in
            write(&state)
            return planSync(&state)
        }
        sync()
        let isKept = state.withLock { state in
            if state.failure != nil { state.left += left }
            return state.failure == nil
        }
        if isKept { for journal in left { journal.remove() } }
    }

    /// Holds journals that could not be read to their ends, so that nobody else runs what was read.
    func hold(_ left: LeftJournal) {
        state.withLock { $0.left.append(left) }
    }

    /// Removes journals that were left behind and in which nothing is left to do.
    private func removeLeftovers(_ done: Set<Int>) {
        for left in directory.takeJournals(onlyToLook: true) {
            if (try? left.forEachEntry { isDone($0, done) }) == true { left.remove() }
        }
    }

    private func isDone(_ entry: JournalEntry, _ done: Set<Int>) -> Bool {
        guard !entry.needsAttempt else { return done.contains(entry.hash(ownFolder: directory.path)) }
        guard let request = entry.request, let url = try? HTTPURL(entry.url) else { return false }
        let naming = entry.fileName.flatMap { try? FileName(explicit: $0) }.map(FileNaming.explicit) ?? .derived
        let folder = entry.folder.map { DownloadDirectory(path: $0) } ?? directory
        guard let file = (try? folder.finishedFile(of: url, naming: naming)) ?? nil else { return false }
        return request.accepts(size: file.size)
    }
}
