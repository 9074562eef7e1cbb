import SpateLocking
import SpateTiming

/// The content of a `Mailbox`.
protocol MailboxContent: SendableMetatype {
    associatedtype Element: Sendable

    /// An empty content.
    init()

    /// Whether the reading task can continue: there is an element, or none will follow.
    var isReadable: Bool { get }

    /// The next element; `nil` if there is none.
    mutating func popFirst() -> Element?
}

/// Elements that one task reads.
struct Mailbox<Content: MailboxContent>: Sendable {
    typealias Reader = CheckedContinuation<Bool, Never>

    private struct State {
        var content = Content()
        /// Whether nothing follows what is here.
        var isClosed = false
        /// The task that waits for an element.
        var reader: Reader?

        var isReadable: Bool { isClosed || content.isReadable }
    }

    private let state = Locked(State(), .observer)

    /// Whether a task waits for the next element.
    var hasReader: Bool { state.withLock { $0.reader != nil } }

    var isClosed: Bool { state.withLock { $0.isClosed } }

    /// Adds to the content, unless the mailbox is closed. Resumes nobody, so that it may be called under a lock.
    ///
    /// - Parameter isLast: whether this closes it.
    func note(isLast: Bool = false, _ add: (inout Content) -> Void) {
        state.withLock { state in
            if state.isClosed { return }
            add(&state.content)
            state.isClosed = isLast
        }
    }

    /// Nothing follows. What is here can still be read. Call this with no lock held.
    func close() {
        state.withLock { $0.isClosed = true }
        wake()
    }

    /// Nobody reads any more.
    func abandon(on runtime: Runtime) {
        let unread = state.withLock { state in
            state.isClosed = true
            defer { state.content = Content() }
            return state.content
        }
        withExtendedLifetime(unread) {}
        runtime.cancellations.async { wake() }
    }

    /// Accesses the content, and resumes nobody. Return removed values: they may be the user's, and must not be
    /// released under the lock.
    func withLock<Result>(_ body: (inout Content) -> Result) -> Result {
        state.withLock { body(&$0.content) }
    }

    /// Changes the content, and resumes the waiting task, if it can continue. Call this with no lock held.
    @discardableResult
    func change<Result>(_ body: (inout Content) -> Result) -> Result {
        var reader: Reader?
        let result = state.withLock { state in
            let result = body(&state.content)
            if state.isReadable { reader = state.reader.take() }
            return result
        }
        reader?.resume(returning: true)
        return result
    }

    /// Resumes the waiting task, if it can continue. Call this with no lock held.
    func wake() { change { _ in } }

    /// Changes the content, and returns the waiting task. The caller must resume it, with no lock held.
    func takeReader<Result>(_ body: (inout Content) -> Result) -> (Result, Reader?) {
        state.withLock { (body(&$0.content), $0.reader.take()) }
    }

    /// Waits for the next element; `nil` if none follows, or if another task waits already.
    ///
    /// The element is taken when the task continues, under the lock: it is the newest then, and the thread sanitizer
    /// sees the transfer. It does not see that for a continuation that is resumed just before its task waits.
    ///
    /// - Parameter cancel: called if the task is cancelled, at any time. Makes the content readable, and wakes the task
    ///   later: see `Runtime.cancellations`.
    func next(onCancel cancel: @escaping @Sendable () -> Void) async -> Content.Element? {
        let mayRead = await withTaskCancellationHandler {
            await withCheckedContinuation { (reader: Reader) in
                let isSecond = state.withLock { state in
                    if state.reader != nil { return true }
                    state.reader = reader
                    return false
                }
                if isSecond { reader.resume(returning: false) } else { wake() }
            }
        } onCancel: {
            cancel()
        }
        return mayRead ? withLock { $0.popFirst() } : nil
    }
}
