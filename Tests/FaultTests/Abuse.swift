import TestSupport
import Testing

/// What a hostile server or a stranger in the folder does to the program, and what is to come of it.
struct Abuse: Sendable, CustomTestStringConvertible {
    var name: String
    /// The outcome by RESUMPTION.md: the right file, or a message with this in it.
    var expected: Outcome
    var options: [String] = []
    var reply: @Sendable (ReceivedRequest) -> Reply

    enum Outcome: Sendable {
        case file([UInt8])
        case failure(String)
    }

    var testDescription: String { name }

    init(
        _ name: String,
        _ expected: Outcome,
        options: [String] = [],
        reply: @escaping @Sendable (ReceivedRequest) -> Reply
    ) {
        self.name = name
        self.expected = expected
        self.options = options
        self.reply = reply
    }

    static let all: [Abuse] = {
        let small = Array("right".utf8)
        let bomb = deflateBomb
        return [
            Abuse("endless fields", .failure("too many response headers")) { _ in .endless(.fields) },
            Abuse("one endless field", .failure("field")) { _ in .endless(.fieldLine) },
            Abuse("a field of 12 MB", .failure("field")) { request in
                .file(small, for: request).addingField("X-Huge", String(repeating: "x", count: 12_000_000))
            },
            Abuse("endless interim responses", .failure("too many response headers")) { _ in .endless(.interim) },
            Abuse("endless trailers", .failure("chunks")) { _ in .endless(.trailers) },
            Abuse("an endless chunk extension", .failure("chunks")) { _ in .endless(.chunkExtension) },
            Abuse("an endless body", .failure("1000000"), options: ["--max-size", "1000000"]) { _ in
                .endless(.body)
            },
            Abuse("endless chunks", .failure("1000000"), options: ["--max-size", "1000000"]) { _ in
                .endless(.chunks)
            },
            Abuse("an endless error page", .failure("404")) { _ in
                .endless(.body, status: 404)
            },
            Abuse("a bomb labelled gzip", .file(bomb)) { request in
                .file(bomb, for: request).addingField("Content-Encoding", "gzip")
            },
            Abuse("a bomb as a transfer coding", .failure("transfer coding")) { request in
                .file(bomb, for: request).chunked().replacingField("Transfer-Encoding", "gzip, chunked")
            },
            Abuse("a redirect into file:", .failure("redirect")) { _ in .redirect(to: "file:///etc/passwd") },
            Abuse("redirects without end", .failure("redirect")) { request in
                .redirect(to: "/\(request.sequence)")
            },
            Abuse("a redirect to 12 MB of address", .failure("field")) { _ in
                .redirect(to: "/" + String(repeating: "x", count: 12_000_000))
            },
        ]
    }()

    /// A gzip stream of 3 MB that unpacks to some 480 MB of zeros.
    private static let deflateBomb: [UInt8] = {
        // In deflate's fixed code: one zero, and then "258 bytes like the one before", which takes 13 bits, over and
        // over; eight of these are 13 bytes.
        let header: [UInt8] = [0x1F, 0x8B, 8, 0, 0, 0, 0, 0, 0, 3]
        var writer = BitWriter()
        writer.write(bits: "1" + "10")
        writer.write(bits: "00110000")
        for _ in 0..<8 * 230_000 { writer.write(bits: "11000101" + "00000") }
        writer.write(bits: "0000000")
        return header + writer.bytes
    }()

    private struct BitWriter {
        private(set) var bytes: [UInt8] = []
        private var filled = 0

        /// Deflate fills each byte from its lowest bit on.
        mutating func write(bits: String) {
            for bit in bits.utf8 {
                if filled % 8 == 0 { bytes.append(0) }
                if bit == UInt8(ascii: "1") { bytes[bytes.count - 1] |= 1 << UInt8(filled % 8) }
                filled += 1
            }
        }
    }
}
