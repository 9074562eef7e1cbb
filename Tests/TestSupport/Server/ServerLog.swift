/// What a server has seen and done so far.
final class ServerLog: Sendable {
    struct State: Sendable, CustomStringConvertible {
        var requests: [ReceivedRequest] = []
        var visits: [String: Int] = [:]
        var connectionCount = 0
        var mostAtOnce = 0
        var bytesSent = 0
        /// The same for each request by its number.
        var bytesByRequest: [Int: Int] = [:]
        /// The connections on which a request is being answered, by the request's number.
        var answering: [Int: any Connection] = [:]

        var description: String {
            "\(requests.count) requests on \(connectionCount) connections: \(requests.suffix(10))"
        }
    }

    let watched = Watched(State())

    var state: State { watched.value }

    func connected() -> Int {
        watched.update { state in
            state.connectionCount += 1
            return state.connectionCount
        }
    }

    /// Gives the request its numbers and keeps it.
    func received(_ request: ReceivedRequest, on connection: any Connection, number: Int, turn: Int) -> ReceivedRequest
    {
        watched.update { state in
            var request = request
            request.connection = number
            request.turn = turn
            request.client = connection.client
            request.sequence = state.requests.count + 1
            request.visit = state.visits[request.target, default: 0] + 1
            state.visits[request.target] = request.visit
            state.answering[request.sequence] = connection
            // One whose client has gone is not being answered, although its thread may not know it yet, or has only now come
            // to read it.
            state.answering = state.answering.filter { !$0.value.peerHasLeft }
            request.atOnce = state.answering.count
            state.mostAtOnce = max(state.mostAtOnce, request.atOnce)
            state.requests.append(request)
            return request
        }
    }

    func answered(_ sequence: Int) {
        watched.update { $0.answering[sequence] = nil }
    }

    func counted(bodyBytes: Int, of sequence: Int) {
        guard bodyBytes != 0 else { return }
        watched.update { state in
            state.bytesSent += bodyBytes
            state.bytesByRequest[sequence, default: 0] += bodyBytes
        }
    }
}
