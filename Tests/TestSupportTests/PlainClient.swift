import Foundation
import SpateTestSupport

/// A client that is a socket and nothing more, so that the server is judged by the bytes it sends.
final class PlainClient {
    enum End: Equatable {
        case closed, reset, silent
    }

    private let descriptor: Int32

    init(_ server: TestServer) throws {
        descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        guard LoopbackAddress.connect(descriptor, port: server.port) == 0 else {
            let error = SystemError("connect")
            close(descriptor)
            throw error
        }
        var limit = timeval(tv_sec: Int(Duration.hang.components.seconds), tv_usec: 0)
        setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
    }

    deinit {
        close(descriptor)
    }

    func ask(_ target: String, _ fields: String...) {
        let lines = ["GET \(target) HTTP/1.1", "Host: x"] + fields + ["", ""]
        let bytes = Array(lines.joined(separator: "\r\n").utf8)
        send(descriptor, bytes, bytes.count, Int32(MSG_NOSIGNAL))
    }

    /// Reads this many bytes, or fewer where the connection ends before.
    func read(_ count: Int) -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: count)
        var filled = 0
        while filled < count {
            let more = bytes.withUnsafeMutableBytes {
                recv(descriptor, $0.baseAddress.map { $0 + filled }, count - filled, 0)
            }
            if more < 0, errno == EINTR { continue }
            guard more > 0 else { break }
            filled += more
        }
        return Array(bytes[..<filled])
    }

    /// Reads an answer whose Content-Length is right.
    func readAnswer() -> Answer {
        var head: [UInt8] = []
        while !head.suffix(4).elementsEqual(Array("\r\n\r\n".utf8)) {
            let byte = read(1)
            guard !byte.isEmpty else { break }
            head += byte
        }
        let answer = Answer(head)
        guard let length = answer["Content-Length"].flatMap({ Int($0) }) else { return answer }
        return Answer(head + read(length))
    }

    /// Reads everything to the end, and returns how it ended.
    func readToEnd() -> (bytes: [UInt8], end: End) {
        var all: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 65_536)
        while true {
            let count = recv(descriptor, &buffer, buffer.count, 0)
            if count > 0 {
                all += buffer[..<count]
            } else if count == 0 {
                return (all, .closed)
            } else if errno != EINTR {
                return (all, errno == ECONNRESET ? .reset : .silent)
            }
        }
    }
}

/// An answer taken apart, without judgement.
struct Answer {
    let head: String
    let body: [UInt8]

    init(_ bytes: [UInt8]) {
        let text = String(decoding: bytes, as: Unicode.ASCII.self)
        let end = text.range(of: "\r\n\r\n")
        head = end.map { String(text[..<$0.lowerBound]) } ?? text
        body = Array(bytes.dropFirst(head.utf8.count + 4))
    }

    subscript(name: String) -> String? {
        let line = head.components(separatedBy: "\r\n").first { $0.lowercased().hasPrefix(name.lowercased() + ": ") }
        return line.map { String($0.dropFirst(name.count + 2)) }
    }
}
