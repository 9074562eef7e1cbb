import CLine
import Glibc

/// Carries packets between the two ends of a line until it is told to end.
struct Carrier {
    /// What became of all packets.
    struct Counts: CustomStringConvertible {
        var (carried, lost, dropped) = (0, 0, 0)

        var description: String { "carried \(carried) lost \(lost) dropped \(dropped)" }
    }

    /// How long it sleeps while packets flow: it then moves all of them in one go. To be woken for each would take most of
    /// a core. A packet is on average half of it late when it is read, so it is sent on by as much too early.
    private static let tick: UInt64 = 200_000
    private static let second: UInt64 = 1_000_000_000

    private(set) var counts = Counts()
    private var ways: [Way]
    private let termination: Int32
    private let parent = getppid()

    private struct Way {
        let (source, target): (Int32, Int32)
        var direction: Direction
        let queue = PacketQueue()
    }

    init(from client: Int32, to server: Int32, requests: Direction, responses: Direction, termination: Int32) {
        ways = [
            Way(source: client, target: server, direction: requests),
            Way(source: server, target: client, direction: responses),
        ]
        self.termination = termination
    }

    /// Returns at SIGTERM, and soon after the parent has ended.
    mutating func run() {
        var parentWasSeen = Self.now()
        while true {
            let now = Self.now()
            var isMoving = false
            for index in ways.indices {
                if receive(from: index, at: now) { isMoving = true }
                if deliver(to: index, at: now) { isMoving = true }
            }
            if waitForTermination(at: now, isMoving: isMoving) { return }
            if now - parentWasSeen > Self.second {
                guard getppid() == parent else { return }
                parentWasSeen = now
            }
        }
    }

    private static func now() -> UInt64 {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return UInt64(time.tv_sec) * second + UInt64(time.tv_nsec)
    }

    /// Whether there was anything.
    private mutating func receive(from index: Int, at now: UInt64) -> Bool {
        let (source, queue) = (ways[index].source, ways[index].queue)
        var hasReceived = false
        while !queue.isFull {
            let size = read(source, queue.room, PacketQueue.largestPacket)
            guard size > 0 else { break }
            hasReceived = true
            switch ways[index].direction.send(bytes: size, at: now) {
            case .lost: counts.lost += 1
            case .dropped: counts.dropped += 1
            case .arrives(let time):
                counts.carried += 1
                queue.append(size: size, arrivingAt: time)
            }
        }
        return hasReceived
    }

    private func deliver(to index: Int, at now: UInt64) -> Bool {
        let (target, queue) = (ways[index].target, ways[index].queue)
        var hasDelivered = false
        while let time = queue.nextTime, time <= now + Self.tick {
            queue.sendFirst(to: target)
            hasDelivered = true
        }
        return hasDelivered
    }

    /// Sleeps for a tick while packets move. Otherwise sleeps until one comes or arrives.
    private func waitForTermination(at now: UInt64, isMoving: Bool) -> Bool {
        var time = Self.second
        if isMoving {
            time = Self.tick
        } else if let next = ways.compactMap(\.queue.nextTime).min() {
            time = min(max(next, now + 2 * Self.tick) - now - Self.tick, Self.second)
        }
        var polled = [pollfd(fd: termination, events: Int16(POLLIN), revents: 0)]
        if !isMoving { polled += ways.map { pollfd(fd: $0.source, events: Int16(POLLIN), revents: 0) } }
        var timeout = timespec(tv_sec: Int(time / Self.second), tv_nsec: Int(time % Self.second))
        line_poll(&polled, UInt(polled.count), &timeout)
        return polled[0].revents != 0
    }
}
