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
        let output = ReplyOutput(to: connection) { log.counted(bodyBytes: $0) }
        var writer = ReplyWriter(reply, toHead: request.method == "HEAD", output: output) {
            log.answered(request.sequence)
        }
        return writer.send()
    }
}
