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
        var live: Set<UInt64> = []
        /// Lines that have not been written.
        var lines: [UInt8] = []
        /// How many records the file has.
        var count = 0
        var isSynced = true
        var isTidyingPlanned = false
        var isClosed = false
        var failure: FileSystemError?
        /// Held, and so locked, because what they say could not be written here.
        var left: [LeftJournal] = []
    }

    let directory: DownloadDirectory
    private let state = Locked(State())

    // Serial, because the threads of a serial queue are not taken from Dispatch's shared pool, which the program may
    // block.
    private static let queue = DispatchQueue(label: "spate.journal")
    private static let delay = DispatchTimeInterval.milliseconds(400)
    /// With fewer ended records than this the file is not compacted.
    private static let leastEnded = 10_000
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

    init(in directory: DownloadDirectory) {
        self.directory = directory
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
            guard !state.isClosed, state.live.insert(number).inserted else { return }
            append(.entry(number, entry), to: &state)
            if !isOneOfMany || state.lines.count >= Self.mostUnwritten { write(&state) }
        }
    }

    /// A download has ended, whether it was added or not.
    func end(_ number: UInt64) {
        state.withLock { state in
            guard !state.isClosed, state.live.remove(number) != nil else { return }
            append(.end(number), to: &state)
            write(&state)
        }
    }

    /// Writes what was added.
    func write() {
        state.withLock { write(&$0) }
    }

    private func append(_ record: JournalRecord, to state: inout State) {
        let start = state.lines.count
        record.write(to: &state.lines)
        if state.lines.count - start > JournalRecord.longestLine { state.lines.removeLast(state.lines.count - start) }
        state.count += 1
        planTidying(&state)
    }

    private func write(_ state: inout State) {
        guard !state.lines.isEmpty else { return }
        do throws(FileSystemError) {
            if state.file == nil { state.file = try make() }
            try state.file?.append(state.lines)
            state.isSynced = false
        } catch {
            state.failure = state.failure ?? error
        }
        state.lines.removeAll(keepingCapacity: state.lines.count < Self.mostUnwritten)
    }

    private func make() throws(FileSystemError) -> JournalFile {
        try JournalFile(in: directory)
    }

    // MARK: Tidying up

    private func planTidying(_ state: inout State) {
        guard !state.isTidyingPlanned else { return }
        state.isTidyingPlanned = true
        Self.queue.asyncAfter(deadline: .now() + Self.delay) { [weak self] in self?.tidyUp() }
    }

    /// Removes the file if nothing is left to do; else compacts it if most of it has ended, and syncs it.
    func tidyUp() {
        let file = state.withLock { state -> JournalFile? in
            state.isTidyingPlanned = false
            guard !state.isClosed else { return nil }
            write(&state)
            if state.live.isEmpty {
                remove(&state)
            } else if state.count > 2 * state.live.count + Self.leastEnded {
                compact(&state)
            }
            defer { state.isSynced = true }
            return state.isSynced ? nil : state.file
        }
        // Without the lock: a disk may take long.
        if let file { sync(file) }
    }

    private func sync(_ file: JournalFile) {
        do throws(FileSystemError) {
            try file.sync()
        } catch {
            state.withLock { $0.failure = $0.failure ?? error }
        }
    }

    private func compact(_ state: inout State) {
        guard var file = state.file else { return }
        let live = state.live
        do throws(FileSystemError) {
            try file.compact { live.contains($0) }
            (state.file, state.count) = (file, live.count)
        } catch {
            // The file is as it was. It is tried again when there is more to gain.
            state.count = live.count
        }
    }

    private func remove(_ state: inout State) {
        guard let file = state.file.take() else { return }
        try? file.remove()
        (state.count, state.isSynced) = (0, true)
    }

    /// Removes the file at once if nothing is left to do.
    func removeIfDone() {
        state.withLock { state in
            write(&state)
            if state.live.isEmpty { remove(&state) }
        }
    }

    /// The manager goes, or the process exits: what has not ended stays in the file, for the next one to restore.
    func close() {
        let isFirst = state.withLock { state in
            guard !state.isClosed else { return false }
            write(&state)
            state.isClosed = true
            if state.live.isEmpty { remove(&state) }
            (state.file, state.left) = (nil, [])
            return true
        }
        Self.open.withLock { $0[ObjectIdentifier(self)] = nil }
        if isFirst { removeLeftovers() }
    }

    // MARK: Journals of others

    /// What they say has been added here, so they go, unless it could not be written.
    func replace(_ left: [LeftJournal]) {
        let file = state.withLock { state in
            write(&state)
            return state.file
        }
        if let file { sync(file) }
        let isKept = state.withLock { state in
            if state.failure != nil { state.left += left }
            return state.failure == nil
        }
        if isKept { for journal in left { journal.remove() } }
    }

    /// Removes journals that were left behind and whose files have all been finished meanwhile.
    private func removeLeftovers() {
        for left in directory.takeJournals() where left.entries.allSatisfy(isFinished) { left.remove() }
    }

    private func isFinished(_ entry: JournalEntry) -> Bool {
        guard let request = entry.request, !request.replacesExistingFile, let url = try? HTTPURL(entry.url) else {
            return false
        }
        let naming = entry.fileName.flatMap { try? FileName(explicit: $0) }.map(FileNaming.explicit) ?? .derived
        let folder = entry.folder.map { DownloadDirectory(path: $0) } ?? directory
        guard let file = (try? folder.finishedFile(of: url, naming: naming)) ?? nil else { return false }
        return request.accepts(size: file.size)
    }
}
