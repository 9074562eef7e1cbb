import Foundation
import SpateLocking

/// A plain TCP connection on a blocking socket.
final class SocketConnection: Connection {
    /// `POLLRDHUP`, which Glibc's module hides: the peer has shut down its sending side.
    private static let peerHungUp: Int16 = 0x2000
    /// `TCP_INFO`.
    private static let information: Int32 = 11
    /// `SIOCOUTQ`: how many bytes the peer's machine has not acknowledged.
    private static let unacknowledged: UInt = 0x5411

    private let descriptor: Int32
    /// Guards the descriptor's life: its number must not be used by another thread once it is closed.
    private let isOpen = Locked(true)

    init(adopting descriptor: Int32) {
        self.descriptor = descriptor
        var yes: Int32 = 1
        setsockopt(descriptor, Int32(IPPROTO_TCP), TCP_NODELAY, &yes, socklen_t(MemoryLayout<Int32>.size))
    }

    deinit {
        end()
    }

    func read(into buffer: UnsafeMutableRawBufferPointer) -> Int {
        while true {
            let count = recv(descriptor, buffer.baseAddress, buffer.count, 0)
            if count >= 0 || errno != EINTR { return max(count, 0) }
        }
    }

    func write(_ bytes: UnsafeRawBufferPointer) -> Int {
        guard let start = bytes.baseAddress else { return 0 }
        var sent = 0
        while sent < bytes.count {
            let count = send(descriptor, start + sent, bytes.count - sent, Int32(MSG_NOSIGNAL))
            if count > 0 {
                sent += count
            } else if errno != EINTR {
                break
            }
        }
        return sent
    }

    func wait(for other: Int32?, upTo limit: Duration?) -> Bool {
        let end = limit.map { ContinuousClock.now + $0 }
        while true {
            // poll ignores an entry whose descriptor is negative.
            var watched = [
                pollfd(fd: descriptor, events: Self.peerHungUp, revents: 0),
                pollfd(fd: other ?? -1, events: Int16(POLLIN), revents: 0),
            ]
            let milliseconds = end.map { Self.milliseconds(until: $0) } ?? -1
            let count = poll(&watched, 2, milliseconds)
            if count == 0 { return true }
            if count < 0, errno != EINTR { return false }
            if count > 0 { return watched[0].revents == 0 }
        }
    }

    func waitUntilDelivered() -> Bool {
        while true {
            var count: Int32 = 0
            guard ioctl(descriptor, Self.unacknowledged, &count) == 0 else { return false }
            if count == 0 { return true }
            // The kernel announces no such thing, so look again in a moment.
            guard wait(for: nil, upTo: .milliseconds(1)) else { return false }
        }
    }

    func close() {
        // Closing with unread bytes would send a reset in place of the end.
        var rest = [UInt8](repeating: 0, count: 4_096)
        while recv(descriptor, &rest, rest.count, Int32(MSG_DONTWAIT)) > 0 {}
        end()
    }

    /// Sends the end, and closes when the peer has sent its own, or after a second. What the peer sends meanwhile would
    /// cause a reset, which overtakes what was sent last.
    func closeAfterPeer() {
        shutdown(descriptor, Int32(SHUT_WR))
        _ = wait(for: nil, upTo: .seconds(1))
        close()
    }

    func closeUnannounced() { close() }

    func reset() {
        var abrupt = linger(l_onoff: 1, l_linger: 0)
        setsockopt(descriptor, SOL_SOCKET, SO_LINGER, &abrupt, socklen_t(MemoryLayout<linger>.size))
        end()
    }

    func shutDown() {
        isOpen.withLock { isOpen in
            if isOpen { shutdown(descriptor, Int32(SHUT_RDWR)) }
        }
    }

    var client: String? { nil }

    var peerHasLeft: Bool {
        isOpen.withLock { isOpen in
            guard isOpen else { return true }
            // While another thread is in the middle of sending, the kernel lays the peer's end aside, where poll does not see
            // it. This waits for that thread, and then the end is there.
            var (state, size) = (UInt8(0), socklen_t(1))
            getsockopt(descriptor, Int32(IPPROTO_TCP), Self.information, &state, &size)
            var watched = pollfd(fd: descriptor, events: Self.peerHungUp, revents: 0)
            return poll(&watched, 1, 0) != 0
        }
    }

    private func end() {
        isOpen.withLock { isOpen in
            if isOpen { Glibc.close(descriptor) }
            isOpen = false
        }
    }

    private static func milliseconds(until end: ContinuousClock.Instant) -> Int32 {
        let (seconds, attoseconds) = (end - .now).components
        let milliseconds = seconds * 1_000 + (attoseconds + 999_999_999_999_999) / 1_000_000_000_000_000
        return Int32(clamping: max(milliseconds, 0))
    }
}
