package import Foundation

/// A port of 127.0.0.1 that nobody serves, kept from others for as long as this object lives.
package final class DeadPort: Sendable {
    package enum Kind: Sendable {
        /// A connection is refused at once.
        case refusing
        /// A connection is never answered, as if a firewall swallowed it.
        case unanswering
    }

    package let port: UInt16
    private let descriptors: [OwnedDescriptor]

    package init(_ kind: Kind) throws {
        let bound = try Self.makeSocket()
        let port = try LoopbackAddress.bind(bound.number, port: 0)
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
            _ = LoopbackAddress.connect(filler.number, port: port)
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
