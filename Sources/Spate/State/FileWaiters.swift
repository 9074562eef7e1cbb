import Foundation

/// The tasks that wait for a download's file.
struct FileWaiters {
    typealias Continuation = CheckedContinuation<URL, any Error>
    typealias Ticket = Int32

    /// With `nil` for tasks that were cancelled before they came to wait.
    private var waiting: [Ticket: Continuation?] = [:]
    // Small, and last: every download that waits has room for this.
    private var lastTicket: Ticket = 0

    mutating func ticket() -> Ticket {
        lastTicket &+= 1
        return lastTicket
    }

    /// False when the ticket was cancelled meanwhile.
    mutating func add(_ continuation: Continuation, ticket: Ticket) -> Bool {
        if waiting.removeValue(forKey: ticket) != nil { return false }
        waiting[ticket] = .some(continuation)
        return true
    }

    /// The continuation to cancel, where its task waits already.
    mutating func remove(_ ticket: Ticket) -> Continuation? {
        if let continuation = waiting.removeValue(forKey: ticket) { return continuation }
        waiting[ticket] = .some(nil)
        return nil
    }

    mutating func takeAll() -> [Continuation] {
        defer { waiting = [:] }
        return waiting.values.compactMap(\.self)
    }
}
