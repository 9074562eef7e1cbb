/// What waits in a mailbox, and what of it may be forgotten. Begins empty.
protocol MailboxQueue: SendableMetatype {
    associatedtype Element: Sendable

    init()
    mutating func put(_ element: Element)
    mutating func take() -> Element?
}
