import Foundation

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

    /// Whether somebody has asked.
    package var wasAsked: Bool {
        var byte: UInt8 = 0
        return recv(socket.number, &byte, 1, Int32(MSG_PEEK) | Int32(MSG_DONTWAIT)) > 0
    }
}
