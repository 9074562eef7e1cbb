import Foundation
import Glibc
import SpateConsole

/// A connection with one request and one response.
struct DemoConnection: Sendable {
    private let socket: OpenDescriptor

    init(_ socket: OpenDescriptor) {
        self.socket = socket
        // Give up on clients that neither read nor leave.
        var limit = timeval(tv_sec: 60, tv_usec: 0)
        for option in [SO_RCVTIMEO, SO_SNDTIMEO] {
            setsockopt(socket.number, SOL_SOCKET, option, &limit, socklen_t(MemoryLayout<timeval>.size))
        }
    }

    func serve(_ files: [String: DemoFile], log: DemoLog) {
        guard let head = readHead(), let request = DemoRequest(head: head) else { return }
        let (number, visit) = log.begin(request)
        let file = files[request.name]
        let reply: DemoReply
        if request.method != "GET" {
            reply = .bare(405, "Method Not Allowed", ["Allow: GET"])
        } else {
            reply = file?.reply(to: request, visit: visit) ?? .bare(404, "Not Found")
        }
        log.answer(number, with: reply)
        send(reply, rate: file?.rate ?? 1 << 20, advance: { log.advance(number, sent: $0) }) { sent, end in
            log.finish(number, sent: sent, end: end)
        }
    }

    private func readHead() -> String? {
        var head: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 4096)
        while head.count < 1 << 16 {
            let count = recv(socket.number, &buffer, buffer.count, 0)
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { return nil }
            head += buffer[..<count]
            // Requests have no body, so the head ends the data.
            if head.suffix(4).elementsEqual("\r\n\r\n".utf8) { return String(decoding: head, as: UTF8.self) }
        }
        return nil
    }

    /// Sends a reply at the given rate, in slices of 50 ms.
    ///
    /// - Parameters:
    ///   - advance: called with the bytes sent so far.
    ///   - note: called with these, and with the end as soon as it is certain.
    private func send(_ reply: DemoReply, rate: Int, advance: (Int) -> Void, note: (Int, DemoExchange.End?) -> Void) {
        let slice = max(rate / 20, 1)
        let clock = ContinuousClock()
        let began = clock.now
        var bytes = Array(reply.head.utf8)
        var position = reply.body.lowerBound
        var sent = 0
        repeat {
            let next = min(position + slice, reply.body.upperBound)
            let isLast = next == reply.body.upperBound
            append(reply, position..<next, isLast: isLast, to: &bytes)
            if isLast { note(next - reply.body.lowerBound, reply.ending == .clientLeft ? nil : reply.ending) }
            guard sendAll(bytes) else {
                note(sent, .clientLeft)
                return
            }
            bytes.removeAll(keepingCapacity: true)
            position = next
            sent = position - reply.body.lowerBound
            if !isLast { advance(sent) }
            let due = began + .seconds(Double(sent) / Double(rate))
            if !isLast, waitUntilClientLeaves(for: due - clock.now) {
                note(sent, .clientLeft)
                return
            }
        } while position < reply.body.upperBound
        switch reply.ending {
        case .whole, .cut: break
        case .reset: resetOnClose()
        case .clientLeft:
            waitUntilClientLeaves()
            note(sent, .clientLeft)
        }
    }

    private func append(_ reply: DemoReply, _ range: Range<Int>, isLast: Bool, to bytes: inout [UInt8]) {
        if reply.isChunked { bytes += "\(String(range.count, radix: 16))\r\n".utf8 }
        bytes += reply.content.bytes(range)
        if reply.isChunked { bytes += (isLast ? "\r\n0\r\n\r\n" : "\r\n").utf8 }
    }

    private func sendAll(_ bytes: [UInt8]) -> Bool {
        bytes.withUnsafeBytes { bytes in
            var rest = bytes[...]
            while !rest.isEmpty {
                let part = UnsafeRawBufferPointer(rebasing: rest)
                let count = Glibc.send(socket.number, part.baseAddress, part.count, Int32(MSG_NOSIGNAL))
                if count < 0, errno == EINTR { continue }
                guard count > 0 else { return false }
                rest = rest.dropFirst(count)
            }
            return true
        }
    }

    private func resetOnClose() {
        var now = linger(l_onoff: 1, l_linger: 0)
        setsockopt(socket.number, SOL_SOCKET, SO_LINGER, &now, socklen_t(MemoryLayout<linger>.size))
    }

    /// False if the client has not left within `time`. Without a time, waits forever.
    @discardableResult
    private func waitUntilClientLeaves(for time: Duration? = nil) -> Bool {
        var event = pollfd(fd: socket.number, events: Int16(POLLIN), revents: 0)
        let milliseconds = time.map { Int32(max(0, $0 / .milliseconds(1)).rounded(.up)) } ?? -1
        var count: Int32
        repeat { count = poll(&event, 1, milliseconds) } while count < 0 && errno == EINTR
        return count > 0
    }
}
