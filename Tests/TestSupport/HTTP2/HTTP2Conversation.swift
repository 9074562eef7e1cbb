/// One connection's life in HTTP/2: requests come on one thread, and each is answered on another.
struct HTTP2Conversation {
    private enum Setting {
        static let initialWindow: UInt32 = 4
    }

    let connection: any Connection
    let number: Int
    let log: ServerLog
    let handler: @Sendable (ReceivedRequest) -> Reply
    let startThread: @Sendable (@escaping @Sendable () -> Void) -> Void

    func run() {
        let streams = HTTP2Streams(on: connection)
        try? listen(streams)
        switch streams.finish() {
        case .reset: connection.reset()
        case .closeUnannounced: connection.closeUnannounced()
        case .keepAlive, .close, .lost: connection.close()
        }
    }

    private func listen(_ streams: HTTP2Streams) throws {
        var (reader, decoder) = (HTTP2FrameReader(connection), HeaderDecoder())
        var (block, turn) = ([UInt8](), 0)
        guard reader.takePreface() else { return }
        try streams.send(HTTP2Frame.Kind.settings)
        while let frame = reader.next() {
            switch frame.kind {
            case HTTP2Frame.Kind.headers, HTTP2Frame.Kind.continuation:
                block += frame.kind == HTTP2Frame.Kind.headers ? frame.headerBlock : frame.payload[...]
                guard frame.flags & HTTP2Frame.Flag.endHeaders != 0 else { continue }
                let request = Self.request(try decoder.decode(block))
                block = []
                turn += 1
                streams.open(frame.stream)
                answer(log.received(request, on: connection, number: number, turn: turn), streams, frame.stream)
            case HTTP2Frame.Kind.settings where frame.flags & HTTP2Frame.Flag.acknowledgement == 0:
                obey(frame.payload, streams)
                try streams.send(HTTP2Frame.Kind.settings, flags: HTTP2Frame.Flag.acknowledgement)
            case HTTP2Frame.Kind.ping where frame.flags & HTTP2Frame.Flag.acknowledgement == 0:
                try streams.send(HTTP2Frame.Kind.ping, flags: HTTP2Frame.Flag.acknowledgement, frame.payload)
            case HTTP2Frame.Kind.windowUpdate:
                streams.widen(frame.stream, by: Int(HTTP2Frame.number(frame.payload) & 0x7FFF_FFFF))
            case HTTP2Frame.Kind.resetStream:
                streams.close(frame.stream)
            default: break
            }
        }
    }

    private func obey(_ settings: [UInt8], _ streams: HTTP2Streams) {
        for start in stride(from: 0, to: settings.count - 5, by: 6) {
            guard HTTP2Frame.number(settings[start..<(start + 2)]) == Setting.initialWindow else { continue }
            streams.setInitialWindow(Int(HTTP2Frame.number(settings[(start + 2)..<(start + 6)])))
        }
    }

    private func answer(_ request: ReceivedRequest, _ streams: HTTP2Streams, _ stream: UInt32) {
        startThread { [log, handler] in
            let answered: @Sendable () -> Void = { log.answered(request.sequence) }
            var writer = HTTP2ReplyWriter(
                handler(request),
                toHead: request.method == "HEAD",
                on: streams,
                stream: stream,
                answered: answered,
                count: { log.counted(bodyBytes: $0) }
            )
            let ending = writer.send()
            answered()
            streams.close(stream)
            switch ending {
            case .close, .closeUnannounced, .reset: streams.end(ending)
            case .keepAlive, .lost: break
            }
        }
    }

    private static func request(_ fields: [(name: String, value: String)]) -> ReceivedRequest {
        let parts = Dictionary(fields.filter { $0.name.hasPrefix(":") }) { $1 }
        var received = ReceivedFields()
        if let host = parts[":authority"] { received.append(name: "Host", value: host) }
        for field in fields where !field.name.hasPrefix(":") { received.append(name: field.name, value: field.value) }
        return ReceivedRequest(
            method: parts[":method"] ?? "",
            target: parts[":path"] ?? "",
            version: "HTTP/2",
            fields: received
        )
    }
}
