package import Foundation

/// A port of 127.0.0.1 without a server, reserved for as long as this object lives.
package final class DeadPort: Sendable {
    package enum Kind: Sendable {
        /// A connection is refused at once.
        case refusing
        /// A connection is never answered, as if a firewall swallowed it.
        case unanswering
    }

    package let port: UInt16
    private let descriptors: [OwnedDescriptor]

    package init(_ kind: Kind, port: UInt16 = 0, address: String = LoopbackAddress.usual) throws {
        let bound = try Self.makeSocket()
        let port = try LoopbackAddress.bind(bound.number, port: port, address: address)
        self.port = port
        guard kind == .unanswering else {
            descriptors = [bound]
            return
        }
        // A queue of length 0 takes one connection; the kernel drops what asks for more. Filling it needs no waiting:
        // whatever is still on its way when the test comes is before it in the queue.
        guard listen(bound.number, 0) == 0 else { throw SystemError("listen") }
        let fillers = try (1...4).map { _ in
            let filler = try Self.makeSocket(flags: Int32(SOCK_NONBLOCK.rawValue))
            _ = LoopbackAddress.connect(filler.number, port: port, address: address)
            return filler
        }
        descriptors = [bound] + fillers
    }

    package func url(_ target: String = "/") -> URL {
        guard let url = URL(string: "http://127.0.0.1:\(port)\(target)") else {
            preconditionFailure("not a target: \(target)")
        }
        return url
    }

    private static func makeSocket(flags: Int32 = 0) throws -> OwnedDescriptor {
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue) | flags, 0)
        guard descriptor >= 0 else { throw SystemError("socket") }
        return OwnedDescriptor(descriptor)
    }
}

/// A name server that answers nothing, on a loopback address of its own; for root alone, since its port is 53.
package final class SilentResolver: Sendable {
    package let address: String
    private let socket: OwnedDescriptor

    package init() throws {
        let descriptor = Glibc.socket(AF_INET, Int32(SOCK_DGRAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        guard descriptor >= 0 else { throw SystemError("socket") }
        socket = OwnedDescriptor(descriptor)
        let octets: [UInt8] = [127, .random(in: 1...254), .random(in: 1...254), .random(in: 1...254)]
        address = octets.map(String.init).joined(separator: ".")
        var name = sockaddr_in()
        name.sin_family = sa_family_t(AF_INET)
        name.sin_port = in_port_t(53).bigEndian
        inet_pton(AF_INET, address, &name.sin_addr)
        let result = withUnsafePointer(to: name) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        guard result == 0 else { throw SystemError("bind") }
    }

    /// Whether a query has arrived.
    package var wasAsked: Bool {
        var byte: UInt8 = 0
        return recv(socket.number, &byte, 1, Int32(MSG_PEEK) | Int32(MSG_DONTWAIT)) > 0
    }
}
