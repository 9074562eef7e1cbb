public import Foundation
import Locking

/// One attempt at a download, as an `Operation`.
///
/// It is asynchronous, and `isReady`, `isExecuting`, `isFinished` and `isCancelled` follow the rules of key-value
/// observing, so that its queue, and operations that depend on it, go on when it ends. It ends at a pause and before
/// a retry, too: the ``Download`` outlives it, and gets another operation when it goes on. What is to come after the
/// whole download depends on a ``FetchOperation``.
public final class DownloadOperation: Operation, @unchecked Sendable {
    // Unchecked because Operation is not Sendable-checked itself; all that is added here is constant or locked.

    /// The address of the download.
    public let url: URL

    private enum Phase {
        case ready
        /// The run is nil until it has been made; what follows the end is known when ``run(then:)`` has returned.
        case executing((any AttemptRun)?, sequel: (@Sendable () -> Void)? = nil)
        case finished
    }

    private let phase = Locked(Phase.ready)
    private let makeRun: @Sendable (DownloadOperation) -> (any AttemptRun)?

    private let cancelled: (@Sendable () -> Void)?

    /// `makeRun` begins the attempt on the queue's thread, and must lead to one call of ``finish()``; `nil` means that
    /// there is nothing to do.
    ///
    /// - Parameter cancelled: called by each ``cancel()``, be it the user's or the manager's own.
    init(
        url: URL,
        cancelled: (@Sendable () -> Void)? = nil,
        makeRun: @escaping @Sendable (DownloadOperation) -> (any AttemptRun)?
    ) {
        self.url = url
        self.cancelled = cancelled
        self.makeRun = makeRun
    }

    /// Always true: it uses no thread while it runs.
    public override var isAsynchronous: Bool { true }

    /// Whether the attempt is under way.
    public override var isExecuting: Bool {
        phase.withLock { if case .executing = $0 { true } else { false } }
    }

    /// Whether the attempt is over, in whatever way. The file is let go of by then.
    public override var isFinished: Bool {
        phase.withLock { if case .finished = $0 { true } else { false } }
    }

    /// Called by the queue. A second call does nothing.
    public override func start() {
        // The base class would guard against all of this, but it must not be called by an asynchronous operation.
        let begins = phase.withLock { phase in
            guard case .ready = phase else { return false }
            phase = .executing(nil)
            return true
        }
        guard begins else { return }
        didChangeValue(forKey: "isExecuting")
        guard !isCancelled, let run = makeRun(self) else { return finish() }
        let isOver = phase.withLock { phase in
            guard case .executing(_, let sequel) = phase else { return true }
            phase = .executing(run, sequel: sequel)
            return false
        }
        if isOver { return }
        run.begin()
        // A cancellation that came before the run was known found nobody to tell.
        if isCancelled { run.cancel() }
    }

    /// Starts it; false when it has finished by then. Otherwise the sequel is called when it does, on the thread that
    /// brings the end about.
    func run(then sequel: @escaping @Sendable () -> Void) -> Bool {
        start()
        return phase.withLock { phase in
            guard case .executing(let run, _) = phase else { return false }
            phase = .executing(run, sequel: sequel)
            return true
        }
    }

    /// Ends it, and has it finish without an attempt where it has not been started.
    func abandon() {
        cancel()
        start()
    }

    /// Cancels the download, as ``Download/cancel()`` does, and keeps its bytes. The operation finishes soon after.
    public override func cancel() {
        super.cancel()
        cancelled?()
        let run = phase.withLock { phase in
            if case .executing(let run, _) = phase { run } else { (any AttemptRun)?.none }
        }
        run?.cancel()
    }

    /// The attempt is over. Calls after the first do nothing, and neither does one before the start: a queue that has
    /// not started an operation must not see it finish.
    func finish() {
        let (ends, sequel) = phase.withLock { phase -> (Bool, (@Sendable () -> Void)?) in
            guard case .executing(_, let sequel) = phase else { return (false, nil) }
            phase = .finished
            return (true, sequel)
        }
        guard ends else { return }
        // Outside of the lock: these calls come back for the getters at once.
        didChangeValue(forKey: "isExecuting")
        didChangeValue(forKey: "isFinished")
        sequel?()
    }
}

/// The work of one attempt.
protocol AttemptRun: AnyObject, Sendable {
    /// Sets out; returns soon.
    func begin()
    /// Asks for the end, from any thread, any number of times.
    func cancel()
}
