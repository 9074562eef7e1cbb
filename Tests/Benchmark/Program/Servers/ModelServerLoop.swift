import Foundation

/// What the thread of a `ModelServer` does, a turn at a time.
struct ModelServerLoop {
    /// How long it waits at most for something to come while it sends, and while it does not.
    private static let (tick, idle): (Int32, Int32) = (5, 50)
    /// What a connection may have at once that could not be sent when it was due.
    private static let mostCredit = 262_144.0

    private let model: ServerModel
    private let folder: String
    private let listener: Int32
    private let clock = ContinuousClock()
    private let start = ContinuousClock.now
    private var connections: [ModelConnection] = []
    private var lastTurn = 0.0
    private var collapsedUntil = -1.0
    private(set) var counts = ModelServer.Counts()

    init(model: ServerModel, folder: String, listener: Int32) {
        (self.model, self.folder, self.listener) = (model, folder, listener)
    }

    /// Waits a little for what comes, answers it, and sends what is due.
    mutating func turn() {
        var polled = ([listener] + connections.map(\.descriptor)).map {
            pollfd(fd: $0, events: Int16(POLLIN), revents: 0)
        }
        let isBusy = connections.contains { $0.response != nil }
        poll(&polled, nfds_t(polled.count), isBusy ? Self.tick : Self.idle)
        let now = (clock.now - start) / .seconds(1)
        for (connection, entry) in zip(connections, polled.dropFirst()) where entry.revents != 0 {
            connection.receive()
        }
        if polled[0].revents != 0 { accept() }
        for connection in connections { answer(connection, at: now) }
        collapse(at: now)
        send(at: now)
        connections.removeAll(where: \.isClosed)
    }

    mutating func closeAll() {
        for connection in connections { connection.close() }
        connections = []
    }

    private var owed: Int { connections.count { $0.response != nil } }

    private mutating func accept() {
        while true {
            let descriptor = Glibc.accept(listener, nil, nil)
            guard descriptor >= 0 else { return }
            let connection = ModelConnection(descriptor)
            connections.removeAll(where: \.isClosed)
            if model.excess == .closes, connections.count >= model.most {
                counts.refused += 1
                connection.close()
            } else {
                connections.append(connection)
                counts.mostOpen = max(counts.mostOpen, connections.count)
            }
        }
    }

    private mutating func answer(_ connection: ModelConnection, at now: Double) {
        guard connection.response == nil, let request = connection.nextRequest() else { return }
        if model.excess == .refuses, owed >= model.most {
            counts.refused += 1
            connection.response = ModelResponse(status: "503 Service Unavailable", fields: ["Retry-After: 1"])
        } else {
            let wait = model.wait(owing: owed)
            let response = ModelResponse(to: request, in: folder)
            response.startsAt = now + wait
            connection.response = response
            if response.hasFile { counts.answered += 1 }
        }
    }

    private mutating func collapse(at now: Double) {
        guard case .collapses(let seconds) = model.excess else { return }
        if connections.count(where: { !$0.isClosed }) > model.most {
            if collapsedUntil <= now { counts.collapses += 1 }
            collapsedUntil = now + seconds
        }
    }

    private mutating func send(at now: Double) {
        let sending = connections.filter { connection in connection.response.map { $0.startsAt <= now } ?? false }
        let seconds = now - lastTurn
        lastTurn = now
        let bytes = model.bytes(in: seconds, among: sending.count, hasCollapsed: now < collapsedUntil)
        for connection in sending {
            if let bytes {
                connection.credit = min(connection.credit + bytes, max(Self.mostCredit, bytes))
            } else {
                connection.credit = Self.mostCredit
            }
            connection.send()
        }
    }
}
