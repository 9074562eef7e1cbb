import Foundation

/// A SOCKS5 proxy (RFC 1928 and 1929) on 127.0.0.1. Whatever host a client asks for, it connects to 127.0.0.1.
package final class SOCKSProxy: Sendable {
    /// What a client has asked for.
    package enum Destination: Sendable, Equatable {
        /// The proxy is to resolve the name.
        case name(String)
        case address([UInt8])
    }

    /// How the proxy behaves.
    package enum Behaviour: Sendable {
        case right
        /// Refuses each destination with this code of RFC 1928.
        case refusing(UInt8)
        /// Closes after so many messages.
        case closing(after: Int)
        case silent
        case garbage
    }

    package let port: UInt16
    private let socket: ListeningSocket
    private let open = OpenConnections()
    private let destinations = Watched<[Destination]>([])

    /// - Parameter login: the user and the password that it wants; `nil` for none.
    package init(_ behaviour: Behaviour = .right, login: (user: String, password: String)? = nil) throws {
        Turns.expect(for: "holds a proxy")
        socket = try ListeningSocket()
        port = socket.port
        open.startThread { [socket, open, destinations] in
            var number = 0
            while open.waitForRoom(), let client = socket.accept() {
                number += 1
                open.serve(client, number: number) {
                    let conversation = SOCKSConversation(client: client, behaviour: behaviour, login: login)
                    guard let server = conversation.connect(noting: { new in destinations.update { $0.append(new) } })
                    else { return client.close() }
                    Relay.join(client, to: server, open)
                }
            }
            socket.close()
        }
    }

    deinit {
        socket.shutDown()
        open.stop()
    }

    /// What clients have asked for, oldest first.
    package var asked: [Destination] { destinations.value }

    /// Ends every connection there is now.
    package func cut() {
        open.shutDownAll()
    }
}

/// The messages before the first byte of a relayed connection.
private struct SOCKSConversation {
    let client: SocketConnection
    let behaviour: SOCKSProxy.Behaviour
    let login: (user: String, password: String)?

    /// Returns the connection to the destination's port; `nil` if the client is refused or has gone.
    func connect(noting note: (SOCKSProxy.Destination) -> Void) -> SocketConnection? {
        if case .silent = behaviour { _ = client.wait(for: nil, upTo: nil) }
        if case .garbage = behaviour {
            send(Array("HTTP/1.1 400 Bad Request\r\n\r\n".utf8))
            return nil
        }
        let limit = if case .closing(let count) = behaviour { count } else { Int.max }
        guard limit > 0, let greeting = read(2), greeting[0] == 5, let methods = read(Int(greeting[1])) else {
            return nil
        }
        let method: UInt8 = login == nil ? 0 : 2
        guard methods.contains(method) else {
            send([5, 0xFF])
            return nil
        }
        send([5, method])
        guard limit > 1, authenticates(), let head = read(4), let destination = destination(ofType: head[3]),
            let port = read(2)
        else { return nil }
        note(destination)
        guard limit > 2 else { return nil }
        let server = Relay.connection(to: UInt16(port[0]) << 8 | UInt16(port[1]))
        var code: UInt8 = server == nil ? 5 : 0
        if case .refusing(let refusal) = behaviour { code = refusal }
        send([5, code, 0, 1, 0, 0, 0, 0, 0, 0])
        return code == 0 ? server : nil
    }

    private func authenticates() -> Bool {
        guard let login else { return true }
        guard read(1) == [1], let user = readText(), let password = readText() else { return false }
        let isRight = user == Array(login.user.utf8) && password == Array(login.password.utf8)
        send([1, isRight ? 0 : 1])
        return isRight
    }

    private func destination(ofType type: UInt8) -> SOCKSProxy.Destination? {
        switch type {
        case 1: read(4).map { .address($0) }
        case 3: readText().map { .name(String(decoding: $0, as: UTF8.self)) }
        case 4: read(16).map { .address($0) }
        default: nil
        }
    }

    /// A text after a byte with its length.
    private func readText() -> [UInt8]? { read(1).flatMap { read(Int($0[0])) } }

    private func read(_ count: Int) -> [UInt8]? {
        var bytes: [UInt8] = []
        while bytes.count < count {
            let isRead = withUnsafeTemporaryAllocation(byteCount: count - bytes.count, alignment: 1) { buffer in
                let read = client.read(into: buffer)
                bytes += buffer[..<max(0, read)]
                return read > 0
            }
            guard isRead else { return nil }
        }
        return bytes
    }

    private func send(_ bytes: [UInt8]) {
        _ = bytes.withUnsafeBytes { client.write($0) }
    }
}
