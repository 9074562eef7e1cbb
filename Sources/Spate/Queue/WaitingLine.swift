/// An element that waits for its turn.
protocol Waiting: Sendable {
    static var laneCount: Int { get }
    /// Lower ones come first.
    var lane: Int { get }
    /// Its place in the order of arrival.
    var serial: UInt64 { get }
    /// Whether the user wants to try now, although the host has asked to wait.
    var isUrgent: Bool { get }
    /// False if it was paused or cancelled meanwhile.
    var stillWaits: Bool { get }
}

/// The elements that wait for a slot, in order: by lanes, and within a lane first come, first served.
struct WaitingLine<Element: Waiting>: Sendable {
    private var lanes = Array(repeating: FIFO<Element>(), count: Element.laneCount)
    private(set) var count = 0

    mutating func append(_ waiting: Element) {
        lanes[waiting.lane].append(waiting)
        count += 1
    }

    /// The place among all waiting elements, in any line: smaller comes first.
    struct Rank {
        let lane: Int
        let serial: UInt64

        static func < (left: Rank, right: Rank) -> Bool { (left.lane, left.serial) < (right.lane, right.serial) }
    }

    var firstRank: Rank? {
        guard count > 0, let lane = lanes.firstIndex(where: { !$0.isEmpty }), let first = lanes[lane].first else {
            return nil
        }
        return Rank(lane: lane, serial: first.serial)
    }

    mutating func popFirst() -> Element? {
        guard count > 0 else { return nil }
        for index in lanes.indices {
            if let first = lanes[index].popFirst() {
                count -= 1
                return first
            }
        }
        return nil
    }

    /// Removes the stale elements. Returns them, because they may hold last references that must not be released under
    /// a lock.
    mutating func removeStale() -> [Element] {
        var stale: [Element] = []
        for index in lanes.indices {
            stale += lanes[index].removeAll { !$0.stillWaits }
        }
        count -= stale.count
        return stale
    }
}
