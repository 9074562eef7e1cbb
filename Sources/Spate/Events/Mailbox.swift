import Locking

/// Between those who tell something, on any thread and without waiting, and one task that reads it.
final class Mailbox<Queue: MailboxQueue>: Sendable {
    private struct Contents {
        var queue = Queue()
        var isClosed = false
        var reader: CheckedContinuation<Queue.Element?, Never>?
    }

    private let contents = Locked(Contents())

    func put(_ element: Queue.Element) {
        let reader = contents.withLock { contents -> CheckedContinuation<Queue.Element?, Never>? in
            guard !contents.isClosed else { return nil }
            if let reader = contents.reader {
                contents.reader = nil
                return reader
            }
            contents.queue.put(element)
            return nil
        }
        reader?.resume(returning: element)
    }

    /// Changes what waits. For the time before there is a reader, who would not be woken.
    func prepare(_ change: (inout Queue) -> Void) {
        contents.withLock { change(&$0.queue) }
    }

    /// Whether nothing that is put in will be read any more.
    var isClosed: Bool { contents.withLock { $0.isClosed } }

    /// Nothing will follow; what waits can still be read.
    func close() {
        let reader = contents.withLock { contents in
            contents.isClosed = true
            defer { contents.reader = nil }
            return contents.reader
        }
        reader?.resume(returning: nil)
    }

    /// The next element; `nil` at the end, or when the reading task is cancelled.
    func next() async -> Queue.Element? {
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let element = contents.withLock { contents -> Queue.Element?? in
                    if let element = contents.queue.take() { return .some(element) }
                    if contents.isClosed || contents.reader != nil { return .some(nil) }
                    contents.reader = continuation
                    return nil
                }
                if let element { continuation.resume(returning: element) }
            }
        } onCancel: {
            abandon()
        }
    }

    /// Nobody reads any more.
    func abandon() {
        contents.withLock { $0.queue = Queue() }
        close()
    }
}
