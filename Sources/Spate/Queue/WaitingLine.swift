import Foundation

/// Attempts in the order in which they get a place: by priority; within one, downloads that go on before those that have
/// not begun, for whoever resumes one does not wait for the whole queue again, and what is there in part is finished
/// before more is; and then in the order in which they came.
struct WaitingLine {
    private struct Lane {
        var entries: ContiguousArray<QueuedAttempt?> = []
        /// Those before it have left.
        var head = 0

        mutating func popFirst() -> QueuedAttempt? {
            guard head < entries.count else { return nil }
            let first = entries[head].take()
            head += 1
            // Each entry is moved up once, on average, however long the line is.
            if head >= 64, head * 2 >= entries.count {
                entries.removeFirst(head)
                head = 0
            }
            return first
        }
    }

    private var lanes = Array(repeating: Lane(), count: 2 * WaitingLine.priorityCount)
    private(set) var count = 0

    mutating func append(_ entry: QueuedAttempt) {
        lanes[Self.lane(for: entry)].entries.append(entry)
        count += 1
    }

    mutating func popFirst() -> QueuedAttempt? {
        guard count > 0 else { return nil }
        for index in lanes.indices {
            if let entry = lanes[index].popFirst() {
                count -= 1
                return entry
            }
        }
        return nil
    }

    /// Takes out what nobody waits for any more. Returned, for whoever lets go of the last of a manager's must hold no
    /// lock.
    mutating func removeUnwanted() -> [QueuedAttempt] {
        var unwanted: [QueuedAttempt] = []
        for index in lanes.indices {
            lanes[index].entries = lanes[index].entries.filter { entry in
                guard let entry else { return false }
                if entry.isWanted { return true }
                unwanted.append(entry)
                return false
            }
            lanes[index].head = 0
        }
        count -= unwanted.count
        return unwanted
    }

    /// Two for each priority, the highest first.
    private static let priorityCount = 5

    private static func lane(for entry: QueuedAttempt) -> Int {
        let isFirst = entry.attempt == DownloadMachine.firstAttempt
        return 2 * rank(of: entry.download.request.priority) + (isFirst ? 1 : 0)
    }

    private static func rank(of priority: Operation.QueuePriority) -> Int {
        switch priority {
        case .veryHigh: 0
        case .high: 1
        case .normal: 2
        case .low: 3
        case .veryLow: 4
        @unknown default: 2
        }
    }
}
