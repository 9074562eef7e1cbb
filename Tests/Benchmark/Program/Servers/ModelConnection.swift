import Foundation

/// A connection to a `ModelServer`.
final class ModelConnection {
    private static let longestRequest = 65_536

    let descriptor: Int32
    private(set) var isClosed = false
    /// What is being sent, or will be.
    var response: ModelResponse?
    /// How many bytes it may send now.
    var credit = 0.0
    private var received: [UInt8] = []

    /// Takes the descriptor.
    init(_ descriptor: Int32) {
        self.descriptor = descriptor
        // Children of this process must not hold it open.
        _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
        _ = fcntl(descriptor, F_SETFL, O_NONBLOCK)
        var isOn: Int32 = 1
        setsockopt(descriptor, Int32(IPPROTO_TCP), TCP_NODELAY, &isOn, socklen_t(MemoryLayout<Int32>.size))
    }

    deinit {
        close()
    }

    func close() {
        guard !isClosed else { return }
        isClosed = true
        response = nil
        Glibc.close(descriptor)
    }

    /// Reads what has come, and closes the connection if its client has.
    func receive() {
        guard !isClosed else { return }
        var buffer = [UInt8](repeating: 0, count: 16_384)
        while true {
            let count = read(descriptor, &buffer, buffer.count)
            if count > 0 {
                received += buffer.prefix(count)
            } else if count == 0 || errno != EAGAIN {
                return close()
            } else {
                break
            }
        }
        if received.count > Self.longestRequest { close() }
    }

    /// The next request that has come whole.
    func nextRequest() -> ModelRequest? {
        guard !isClosed, let end = received.firstRange(of: Array("\r\n\r\n".utf8)) else { return nil }
        let head = String(decoding: received[..<end.lowerBound], as: UTF8.self)
        received.removeSubrange(..<end.upperBound)
        return ModelRequest(head)
    }

    /// Sends as much of the response as its credit allows and the socket takes.
    func send() {
        while let response, !isClosed {
            let piece = response.piece(most: Int(credit))
            guard !piece.isEmpty else { return }
            let count = piece.withUnsafeBytes {
                Glibc.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
            }
            guard count >= 0 else {
                if errno != EAGAIN { close() }
                return
            }
            response.advance(by: count)
            credit -= Double(count)
            if response.isSent {
                self.response = nil
                credit = 0
            }
        }
    }
}
