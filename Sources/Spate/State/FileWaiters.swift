import Foundation

/// The tasks that wait for a download's file.
struct FileWaiters {
    typealias Continuation = CheckedContinuation<URL, any Error>
    typealias Ticket = Int

    private var lastTicket: Ticket = 0
    private var waiting: [Ticket: Continuation] = [:]
    /// Tasks that were cancelled before they came to wait.
    private var cancelled: Set<Ticket> = []

    mutating func ticket() -> Ticket {
        lastTicket += 1
        return lastTicket
    }

    /// False when the ticket was cancelled meanwhile.
    mutating func add(_ continuation: Continuation, ticket: Ticket) -> Bool {
        if cancelled.remove(ticket) != nil { return false }
        waiting[ticket] = continuation
        return true
    }

    /// The continuation to cancel, where its task waits already.
    mutating func remove(_ ticket: Ticket) -> Continuation? {
        if let continuation = waiting.removeValue(forKey: ticket) { return continuation }
        cancelled.insert(ticket)
        return nil
    }

    mutating func takeAll() -> [Continuation] {
        defer { (waiting, cancelled) = ([:], []) }
        return Array(waiting.values)
    }
}
