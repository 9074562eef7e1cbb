public import Foundation
import SpateHTTPSyntax
import SpateHosts
import SpateLocking
import SpatePartialFiles
import Synchronization

/// One attempt at a download, as an `Operation`.
///
/// It is asynchronous. `isReady`, `isExecuting`, `isFinished` and `isCancelled` follow the rules of key-value
/// observing, so that its queue, and operations that depend on it, continue when it ends. On Linux nobody else can
/// observe them: use ``Download/events`` instead. The manager's queue runs it: it cannot be added to another. Its
/// download waits until the operation's dependencies have finished, and holds no slot meanwhile.
///
/// It also ends at a pause and before a retry: the ``Download`` outlives it and gets another operation to continue.
/// Work that follows the whole download should depend on a ``FetchOperation``.
///
/// It retains its manager, also when it has finished: paused downloads of a manager that nobody else holds do not end
/// before it is released.
public final class DownloadOperation: Operation, @unchecked Sendable {
    // Unchecked because Operation is not checked itself. Everything added here is constant or locked.

    /// The download's URL.
    public var url: URL { download.url }

    private enum Phase: UInt8, AtomicRepresentable {
        case ready, executing, finished
    }

    private struct Contents {
        /// From the start to the end.
        var attempt: Attempt?
        var isAskedFor = false
        /// Whether the attempt is to be cancelled.
        var isCancelled = false
        var dependencies = Dependencies()
        /// For its slot and its first connection, until it returns them. Most operations have it before their start.
        var lease: HostLease?
        /// What waits for the disk, if it holds no slot meanwhile.
        var load: DiskQueue.Load?
    }

    /// Changed under the lock of the contents, and read under any or none: the queue asks often.
    private let phase = Atomic(Phase.ready)
    private let contents: Locked<Contents>
    let download: Download
    private let attempt: Int
    private let manager: DownloadManager
    /// The host that it waits for, or is connected to.
    let host: HTTPOrigin

    init(
        _ attempt: Int,
        at download: Download,
        of manager: DownloadManager,
        host: HTTPOrigin,
        lease: HostLease? = nil,
        isAskedFor: Bool = false
    ) {
        contents = Locked(Contents(isAskedFor: isAskedFor, lease: lease), .operation)
        self.download = download
        self.attempt = attempt
        self.manager = manager
        self.host = host
    }

    /// Always true: it uses no thread while it runs.
    public override var isAsynchronous: Bool { true }

    /// Whether the attempt is under way.
    public override var isExecuting: Bool { phase.load(ordering: .acquiring) == .executing }

    /// Whether the attempt is over, with any result. Its file is closed by then, and has its final name if it is
    /// complete. The download ends a moment later, when that name is on disk. It ends a moment before on a file system
    /// in memory, where nothing waits for the disk, and if the file went into a folder made for its URL.
    ///
    /// An operation whose file waits for the disk is not finished. It has returned its slot, so more operations may be
    /// executing than the manager has slots.
    public override var isFinished: Bool { phase.load(ordering: .acquiring) == .finished }

    /// Changes the phase. Called under the lock of the contents; false if it was another than expected.
    private func move(from former: Phase, to next: Phase) -> Bool {
        phase.compareExchange(expected: former, desired: next, ordering: .acquiringAndReleasing).exchanged
    }

    private var isReadyToStart: Bool { phase.load(ordering: .acquiring) == .ready }

    /// Whether a caller asked for it before its turn. Then its download is in the line, too.
    var isAskedFor: Bool {
        get { contents.withLock { $0.isAskedFor } }
        set { contents.withLock { $0.isAskedFor = newValue } }
    }

    /// The open partial file of its attempt.
    var partialFile: PartialFile? { contents.withLock { $0.attempt }?.file }

    deinit {
        for end in contents.withLock({ $0.dependencies.removeAll() }) { end.stop() }
    }

    /// Whether it may start: it was cancelled, or all operations that it depends on have finished.
    public override var isReady: Bool {
        super.isReady && (contents.withLock { $0.dependencies.haveEnded } || isCancelled)
    }

    /// The operations that it waits for, or has waited for. Empty once it has finished.
    public override var dependencies: [Operation] { contents.withLock { $0.dependencies.operations } }

    /// Makes the attempt wait for another operation. Does nothing once the attempt has begun.
    public override func addDependency(_ operation: Operation) {
        wait(for: operation)
        if !isReady, let lease = takeLease() { manager.feed.takeBack(lease) }
    }

    /// Lets the attempt begin before another operation has ended.
    public override func removeDependency(_ operation: Operation) {
        guard let end = contents.withLock({ $0.dependencies.remove(operation) }) else { return }
        end.stop()
        becameReady()
    }

    /// The same as ``addDependency(_:)``, before anybody else knows this operation.
    func wait(for operation: Operation) {
        let end = contents.withLock { contents -> OperationEnd? in
            guard isReadyToStart else { return nil }
            return contents.dependencies.add(operation) { [weak self] in self?.becameReady() }
        }
        guard let end else { return }
        end.begin()
        noteReadiness()
    }

    /// One operation less to wait for.
    private func becameReady() {
        noteReadiness()
        manager.feed.operationsMayStart()
    }

    /// Takes its connection, unless it has started.
    func takeLease() -> HostLease? {
        contents.withLock { contents in isReadyToStart ? contents.lease.take() : nil }
    }

    /// Called by the manager's queue. Other calls do nothing.
    public override func start() {
        // `super.start()` would finish the operation on return. These guards replace its own: a queue must not see an
        // operation finish that it has not started, and an operation starts once.
        guard manager.feed.isCalling else { return }
        let (begins, handedOver) = contents.withLock { (move(from: .ready, to: .executing), $0.lease) }
        guard begins else { return }
        didChangeValue(forKey: "isExecuting")
        guard let lease = manager.feed.starts(handedOver, at: host, urgently: download.isUrgent) else {
            download.turnAway(self, attempt)
            return finish()
        }
        if case nil = handedOver { contents.withLock { $0.lease = lease } }
        guard let request = download.valid, download.begin(attempt, operation: self, in: manager) else {
            return finish()
        }
        let attempt = Attempt(attempt, at: download, request, of: manager, operation: self)
        let isCancelled = contents.withLock { contents in
            contents.attempt = attempt
            return contents.isCancelled
        }
        manager.feed.pacer.begin(in: manager.feed)
        attempt.begin()
        // A cancellation before this could not reach the attempt.
        if isCancelled { attempt.cancel() }
    }

    /// Cancels the download, like ``Download/cancel()``, and keeps its bytes. The operation finishes soon after, or
    /// when its queue comes to it.
    public override func cancel() {
        // Another operation may make the same attempt, when its host has room.
        if isFinished { return }
        super.cancel()
        manager.feed.operationsMayStart()
        download.operationWasCancelled(attempt)
        let executing = contents.withLock { contents in
            contents.isCancelled = true
            return contents.attempt
        }
        executing?.cancel()
    }

    /// When its attempt began; `nil` if it has none, or needs the network no more.
    var began: ContinuousClock.Instant? {
        contents.withLock { $0.lease == nil ? nil : $0.attempt?.began }
    }

    func isConnected(to host: HTTPOrigin) -> Bool { contents.withLock { $0.attempt }?.host == host }

    /// Ends the attempt in favour of others. See ``Attempt/giveWay()``.
    func giveWay() { contents.withLock { $0.attempt }?.giveWay() }

    /// The attempt needs the network no more, and its file waits for the disk. Returns its slot and its connection, if
    /// not too many wait already.
    ///
    /// - Parameter tell: called before another download gets the slot.
    func waitForDisk(_ load: DiskQueue.Load, tell: () -> Void) {
        guard manager.feed.mayWaitForDisk(load) else { return }
        tell()
        let lease = contents.withLock { contents in
            contents.load = load
            return contents.lease.take()
        }
        if let lease { manager.feed.returned(lease, isWaiting: true) }
        manager.feed.operationsMayStart()
    }

    /// The attempt is over and has closed its file, if there was one.
    func finish() {
        // Not released under the lock: it holds this operation and the manager.
        var attempt: Attempt?
        let (ends, lease, load, dependencies) = contents.withLock { contents in
            let ends = move(from: .executing, to: .finished)
            if ends { attempt = contents.attempt.take() }
            return (ends, contents.lease, contents.load, ends ? contents.dependencies.removeAll() : [])
        }
        guard ends else { return }
        manager.table.withLock { $0.removeHolder(self) }
        // The next operation is in the queue before this one announces its end, so that the slot is not idle.
        if let lease { manager.feed.returned(lease) }
        if let load { manager.feed.leavesDisk(load) }
        // With no lock held: these calls read the properties above, and start waiting operations.
        didChangeValue(forKey: "isExecuting")
        didChangeValue(forKey: "isFinished")
        manager.feed.operationsMayStart()
        for end in dependencies { end.stop() }
        withExtendedLifetime(attempt) {}
    }
}
