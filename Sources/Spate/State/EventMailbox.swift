import Locking

/// What one reader of a download's events has not read yet.
///
/// Every state is kept; of several progress events between two of them only the last, so that a reader who takes its
/// time costs no memory.
final class EventMailbox: Sendable {
    private struct Contents {
        var events: [DownloadEvent] = []
        var isClosed = false
        var reader: CheckedContinuation<DownloadEvent?, Never>?
    }

    private let contents = Locked(Contents())

    func put(_ event: DownloadEvent) {
        let reader = contents.withLock { contents -> CheckedContinuation<DownloadEvent?, Never>? in
            guard !contents.isClosed else { return nil }
            if let reader = contents.reader {
                contents.reader = nil
                return reader
            }
            if case .progress = event, case .progress = contents.events.last { contents.events.removeLast() }
            contents.events.append(event)
            return nil
        }
        reader?.resume(returning: event)
    }

    /// Whether nothing that is put in will be read any more.
    var isClosed: Bool { contents.withLock { $0.isClosed } }

    /// No event will follow; those that wait can still be read.
    func close() {
        let reader = contents.withLock { contents in
            contents.isClosed = true
            defer { contents.reader = nil }
            return contents.reader
        }
        reader?.resume(returning: nil)
    }

    /// The next event; `nil` at the end, or when the reading task is cancelled.
    func next() async -> DownloadEvent? {
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let event = contents.withLock { contents -> DownloadEvent?? in
                    if !contents.events.isEmpty { return .some(contents.events.removeFirst()) }
                    if contents.isClosed || contents.reader != nil { return .some(nil) }
                    contents.reader = continuation
                    return nil
                }
                if let event { continuation.resume(returning: event) }
            }
        } onCancel: {
            abandon()
        }
    }

    /// Nobody reads any more.
    func abandon() {
        contents.withLock { $0.events.removeAll() }
        close()
    }
}
