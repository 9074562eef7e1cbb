import Foundation

/// The streams of one connection: how much may be sent on each, and how they end. One thread reads the connection, others
/// write to it.
final class HTTP2Streams: Sendable {
    let connection: any Connection
    private let condition = NSCondition()
    /// What may be sent on each stream that is open.
    private nonisolated(unsafe) var windows: [UInt32: Int] = [:]
    private nonisolated(unsafe) var sharedWindow = 65_535
    private nonisolated(unsafe) var initialWindow = 65_535
    private nonisolated(unsafe) var ending: ReplyWriter.Ending?

    init(on connection: any Connection) {
        self.connection = connection
    }

    func open(_ stream: UInt32) {
        locked { windows[stream] = initialWindow }
    }

    func close(_ stream: UInt32) {
        locked { windows[stream] = nil }
    }

    /// - Parameter stream: 0 for what all have together.
    func widen(_ stream: UInt32, by count: Int) {
        locked {
            if stream == 0 { sharedWindow += count } else { windows[stream]? += count }
        }
    }

    /// What each stream may begin with; those that are open get the difference.
    func setInitialWindow(_ count: Int) {
        locked {
            for stream in windows.keys { windows[stream]? += count - initialWindow }
            initialWindow = count
        }
    }

    /// Takes from the windows what may be sent now, waiting until that is at least a byte.
    func claim(upTo count: Int, on stream: UInt32) throws(ReplyOutput.ConnectionLost) -> Int {
        condition.lock()
        defer { condition.unlock() }
        while ending == nil, let window = windows[stream] {
            let claimed = min(count, window, sharedWindow)
            if claimed > 0 {
                windows[stream] = window - claimed
                sharedWindow -= claimed
                return claimed
            }
            condition.wait()
        }
        throw ReplyOutput.ConnectionLost()
    }

    /// Waits until the client has closed the stream, or the connection has ended.
    func waitUntilClosed(_ stream: UInt32) {
        locked {
            while ending == nil, windows[stream] != nil { condition.wait() }
        }
    }

    /// Ends the connection in this way: the thread that reads it does, as soon as it sees that nothing more comes. The
    /// first who asks for an end decides.
    func end(_ ending: ReplyWriter.Ending) {
        locked {
            if self.ending == nil { self.ending = ending }
        }
        connection.stopReading()
    }

    /// How the connection is to be ended, now that nothing more comes.
    func finish() -> ReplyWriter.Ending {
        locked {
            let ending = ending ?? .lost
            self.ending = ending
            return ending
        }
    }

    /// Sends a frame in one piece, so that those of several threads don't mix.
    func send(_ kind: UInt8, flags: UInt8 = 0, stream: UInt32 = 0, _ payload: some Collection<UInt8> = []) throws {
        try send(raw: HTTP2Frame.head(kind: kind, flags: flags, stream: stream, count: payload.count) + payload)
    }

    func send(raw bytes: [UInt8]) throws {
        let count = bytes.withUnsafeBytes { connection.write($0) }
        guard count == bytes.count else { throw ReplyOutput.ConnectionLost() }
    }

    private func locked<Result>(_ body: () -> Result) -> Result {
        condition.lock()
        defer {
            condition.broadcast()
            condition.unlock()
        }
        return body()
    }
}
