import Foundation
import TestSupport
import Testing

struct DeadPortTests {
    @Test func aRefusingPortRefusesAtOnce() throws {
        let port = try DeadPort(.refusing)
        #expect(try connectionOutcome(port.port, waiting: 10_000) == ECONNREFUSED)
    }

    @Test func anUnansweringPortLeavesAConnectionWaiting() throws {
        let port = try DeadPort(.unanswering)
        #expect(try connectionOutcome(port.port, waiting: 300) == ETIMEDOUT)
    }

    /// The error of an attempt to connect; ETIMEDOUT when nothing has come of it after so many milliseconds.
    private func connectionOutcome(_ port: UInt16, waiting milliseconds: Int32) throws -> Int32 {
        let kind = SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue
        let descriptor = socket(AF_INET, Int32(kind), 0)
        defer { close(descriptor) }
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        let result = withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        guard result != 0 else { return 0 }
        guard errno == EINPROGRESS else { return errno }
        var watched = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
        guard poll(&watched, 1, milliseconds) > 0 else { return ETIMEDOUT }
        var error: Int32 = 0
        var length = socklen_t(MemoryLayout<Int32>.size)
        getsockopt(descriptor, SOL_SOCKET, SO_ERROR, &error, &length)
        return error
    }
}
