import Dispatch
import Glibc
import SpateLocking
import Synchronization

/// Writes to a pipe or a terminal on a thread of its own. Whoever writes waits for a slow reader, but no stop does: the
/// reader may take nothing for ever, and only that thread is stuck then.
final class OutputQueue: Sendable {
    private struct State {
        /// What the thread has not taken yet.
        var waiting: [UInt8] = []
        /// The bytes that are not written yet, with those that the thread has taken.
        var count = 0
        /// Whether the thread has work: it opens or writes.
        var isBusy = false
        /// Why nothing can be written any more.
        var failure: Int32?
        /// When the reader last took something, or could begin to.
        var lastProgress = ContinuousClock.now
        /// Signalled when any of this changes.
        var observers: [DispatchSemaphore] = []
    }

    /// How many bytes may wait for the reader of a pipe.
    private static let mostWaiting = 65_536
    /// A pipe takes so much as a whole or not at all. So no line is cut if the process ends while the reader takes
    /// nothing.
    private static let atomicSize = Int(PIPE_BUF)
    /// How long a reader may take nothing after a stop, and how long it may take in all.
    private static let patience = (pause: Duration.seconds(1), whole: Duration.seconds(5))

    private static let all = Locked<[OutputQueue]>([])
    private static let isStopping = Atomic(false)

    private let queue = DispatchQueue(label: "spate.output")
    private let state: Locked<State>
    private let opening: @Sendable () -> Int32
    /// What may wait when a call returns.
    private let mostLeft: Int
    /// The most bytes of one system call, if they are several lines.
    private let mostAtOnce: Int

    /// - Parameters:
    ///   - isTerminal: then a call waits until its text is shown, and writes it at once.
    ///   - opening: returns the descriptor, or -1 with the reason in `errno`. Called at once, on the thread.
    init(isTerminal: Bool, opening: @escaping @Sendable () -> Int32) {
        self.opening = opening
        (mostLeft, mostAtOnce) = isTerminal ? (0, .max) : (Self.mostWaiting, Self.atomicSize)
        var start = State()
        start.isBusy = true
        state = Locked(start)
        Self.all.withLock { $0.append(self) }
        queue.async { [self] in
            descriptor.store(opening(), ordering: .relaxed)
            if descriptor.load(ordering: .relaxed) < 0 { fail(errno) }
            writeAll()
        }
    }

    private let descriptor = Atomic<Int32>(-1)

    /// The program is to stop: no call waits for a reader any more, except for a moment in ``finish()``.
    static func stopWaiting() {
        isStopping.store(true, ordering: .sequentiallyConsistent)
        for queue in all.withLock(\.self) { queue.change { _ in } }
    }

    /// Hands over bytes, and waits while too many are left.
    ///
    /// - Returns: the error number if nothing can be written any more.
    func write(_ bytes: UnsafeRawBufferPointer) -> Int32? {
        let isIdle = state.withLock { state in
            if state.failure != nil { return false }
            if state.count == 0 { state.lastProgress = .now }
            state.waiting.append(contentsOf: bytes)
            state.count += bytes.count
            defer { state.isBusy = true }
            return !state.isBusy
        }
        if isIdle { queue.async { self.writeAll() } }
        wait { $0.count <= mostLeft || $0.failure != nil || Self.isStopping.load(ordering: .sequentiallyConsistent) }
        return state.withLock(\.failure)
    }

    /// Waits until everything is written. After a stop, only as long as the reader takes something.
    ///
    /// - Returns: the error number if not all was written; `EINTR` after a stop.
    func finish() -> Int32? {
        var start = ContinuousClock.now
        var wasStopping = false
        var isGivenUp = false
        wait { state in
            if !state.isBusy || state.failure != nil { return true }
            guard Self.isStopping.load(ordering: .sequentiallyConsistent) else { return false }
            if !wasStopping { (wasStopping, start) = (true, .now) }
            let end = min(max(start, state.lastProgress) + Self.patience.pause, start + Self.patience.whole)
            isGivenUp = .now >= end
            return isGivenUp
        }
        return state.withLock { state in
            if isGivenUp { state.failure = state.failure ?? EINTR }
            return state.failure
        }
    }

    /// Waits until something is so. Looks again after each change and, once the program is to stop, now and then.
    private func wait(until isSo: (State) -> Bool) {
        while true {
            let change = DispatchSemaphore(value: 0)
            let isDone = state.withLock { state in
                if isSo(state) { return true }
                state.observers.append(change)
                return false
            }
            if isDone { return }
            let isStopping = Self.isStopping.load(ordering: .sequentiallyConsistent)
            _ = change.wait(timeout: isStopping ? .now() + .milliseconds(50) : .distantFuture)
        }
    }

    private func change(_ body: (inout State) -> Void) {
        let observers = state.withLock { state in
            body(&state)
            defer { state.observers = [] }
            return state.observers
        }
        for observer in observers { observer.signal() }
    }

    // MARK: On the thread

    private func writeAll() {
        while true {
            var batch: [UInt8] = []
            change { state in
                if state.failure != nil { (state.waiting, state.count) = ([], 0) }
                swap(&batch, &state.waiting)
                state.isBusy = !batch.isEmpty
            }
            if batch.isEmpty { return }
            batch.withUnsafeBytes { write(lines: $0) }
        }
    }

    private func write(lines: UnsafeRawBufferPointer) {
        let descriptor = descriptor.load(ordering: .relaxed)
        var rest = lines[...]
        while !rest.isEmpty {
            let part = rest.prefix(size(ofNext: rest))
            guard UnsafeRawBufferPointer(rebasing: part).writeAll(to: descriptor) else { return fail(errno) }
            rest = rest[part.endIndex...]
            change {
                $0.count -= part.count; $0.lastProgress = .now
            }
        }
    }

    /// As many whole lines as can be written together, but at least one.
    private func size(ofNext bytes: Slice<UnsafeRawBufferPointer>) -> Int {
        if bytes.count <= mostAtOnce { return bytes.count }
        let lineFeed = UInt8(ascii: "\n")
        let end = bytes.prefix(mostAtOnce).lastIndex(of: lineFeed) ?? bytes.firstIndex(of: lineFeed)
        return end.map { $0 - bytes.startIndex + 1 } ?? bytes.count
    }

    private func fail(_ code: Int32) {
        change { $0.failure = $0.failure ?? code }
    }
}
