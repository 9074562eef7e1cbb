import Foundation

/// An HTTP proxy for tunnels on 127.0.0.1 (CONNECT, RFC 9110, section 9.3.6). Whatever host a client asks for, it connects
/// to 127.0.0.1.
package final class TunnelProxy: Sendable {
    package let port: UInt16
    private let socket: ListeningSocket
    private let open = OpenConnections()
    private let requests = Watched<[ReceivedRequest]>([])

    /// - Parameter login: the user and the password that it wants, with a colon between them; `nil` for none.
    package init(login: String? = nil) throws {
        Turns.expect(for: "holds a proxy")
        socket = try ListeningSocket()
        port = socket.port
        let wanted = login.map { "Basic " + Data($0.utf8).base64EncodedString() }
        open.startThread { [socket, open, requests] in
            var number = 0
            while open.waitForRoom(), let client = socket.accept() {
                number += 1
                open.serve(client, number: number) {
                    var reader = RequestReader(client)
                    guard let request = reader.next() else { return client.close() }
                    requests.update { $0.append(request) }
                    guard wanted == nil || request.fields["Proxy-Authorization"] == wanted else {
                        return Self.refuse(client, "407 Proxy Authentication Required")
                    }
                    let port = request.target.split(separator: ":").last.flatMap { UInt16($0) }
                    guard request.method == "CONNECT", let port, let server = Relay.connection(to: port) else {
                        return Self.refuse(client, "502 Bad Gateway")
                    }
                    Self.send("200 Connection established\r\n\r\n", to: client)
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

    /// The hosts and ports that clients have asked for, oldest first.
    package var asked: [String] { requests.value.map(\.target) }

    private static func refuse(_ client: SocketConnection, _ status: String) {
        send("\(status)\r\nContent-Length: 0\r\nConnection: close\r\n\r\n", to: client)
        client.close()
    }

    private static func send(_ text: String, to client: SocketConnection) {
        _ = Array("HTTP/1.1 \(text)".utf8).withUnsafeBytes { client.write($0) }
    }
}
