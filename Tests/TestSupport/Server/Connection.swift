/// One client's bytes, in and out, for the one thread that serves it, unless a call says otherwise.
protocol Connection: Sendable {
    /// Waits for bytes and returns how many there are now; 0 when none will come any more.
    func read(into buffer: UnsafeMutableRawBufferPointer) -> Int

    /// Writes all, and returns how many were taken: fewer than given when the connection is lost.
    func write(_ bytes: UnsafeRawBufferPointer) -> Int

    /// Waits until the descriptor is readable or the time is up, whichever is first; without limit if both are `nil`.
    /// Returns false as soon as the connection is lost.
    func wait(for descriptor: Int32?, upTo limit: Duration?) -> Bool

    /// Waits until the peer's machine has all bytes written so far. Returns false when that will not happen.
    func waitUntilDelivered() -> Bool

    /// Ends it in order: the peer gets all bytes, and then the end.
    func close()

    /// Ends it in order for TCP, but without TLS's close_notify: to the peer it looks like a cut.
    func closeUnannounced()

    /// Ends it with a reset. Bytes that were not delivered are lost.
    func reset()

    /// Ends it from any thread: whatever the serving thread waits for returns.
    func shutDown()

    /// The subject of the certificate that the peer has shown; `nil` if it has shown none.
    var client: String? { get }

    /// Whether the peer has closed its side. From any thread.
    var peerHasLeft: Bool { get }
}

/// One connection's life: a request, its reply, and so on until one side ends it.
struct Conversation: Sendable {
    let connection: any Connection
    let number: Int
    let log: ServerLog
    let handler: @Sendable (ReceivedRequest) -> Reply

    func run() {
        var reader = RequestReader(connection)
        var turn = 0
        while let head = reader.next() {
            turn += 1
            let request = log.received(head, on: connection, number: number, turn: turn)
            let ending = answer(request)
            log.answered(request.sequence)
            switch ending {
            case .keepAlive where !request.endsConnection: continue
            case .reset: return connection.reset()
            case .closeUnannounced: return connection.closeUnannounced()
            case .keepAlive, .close, .lost: return connection.close()
            }
        }
        connection.close()
    }

    private func answer(_ request: ReceivedRequest) -> ReplyWriter.Ending {
        let reply = handler(request)
        let output = ReplyOutput(to: connection) { log.counted(bodyBytes: $0, of: request.sequence) }
        var writer = ReplyWriter(reply, output: output) {
            log.answered(request.sequence)
        }
        return writer.send()
    }
}
