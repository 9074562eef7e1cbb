/// The bytes of one reply on their way out: small ones are gathered, so that a small reply is one system call, and all
/// of them are paced where the reply says so. Belongs to the thread that serves the connection.
final class ReplyOutput {
    /// The client has gone, or the server was stopped.
    struct ConnectionLost: Error {}

    private static let largestGathered = 16_384

    let connection: any Connection
    /// Counts body bytes: before they are sent, so that nobody has received what is not yet counted, and again with a
    /// negative number when some were not taken.
    private let count: (Int) -> Void
    private var gathered: [UInt8] = []
    private var gatheredBodyBytes = 0
    private var due: ContinuousClock.Instant?

    /// From when it is set, bytes go out at this pace and are not gathered.
    var pace: Reply.Pace?

    init(to connection: any Connection, count: @escaping (Int) -> Void) {
        self.connection = connection
        self.count = count
    }

    func append(_ text: String) {
        var text = text
        text.withUTF8 { gathered.append(contentsOf: $0) }
    }

    func append(_ bytes: [UInt8]) {
        gathered += bytes
    }

    func appendBody(_ storage: [UInt8], _ piece: Range<Int>) throws {
        guard piece.count > Self.largestGathered || pace != nil else {
            gathered += storage[piece]
            gatheredBodyBytes += piece.count
            if gathered.count > 4 * Self.largestGathered { try flush() }
            return
        }
        try flush()
        try storage.withUnsafeBytes { try send(UnsafeRawBufferPointer(rebasing: $0[piece]), bodyBytes: piece.count) }
    }

    func flush() throws {
        guard !gathered.isEmpty else { return }
        defer {
            gathered.removeAll(keepingCapacity: true)
            gatheredBodyBytes = 0
        }
        try gathered.withUnsafeBytes { try send($0, bodyBytes: gatheredBodyBytes) }
    }

    private func send(_ bytes: UnsafeRawBufferPointer, bodyBytes: Int) throws {
        count(bodyBytes)
        var sent = 0
        while sent < bytes.count {
            let end = pace.map { min(sent + $0.bytes, bytes.count) } ?? bytes.count
            let taken = connection.write(UnsafeRawBufferPointer(rebasing: bytes[sent..<end]))
            sent += taken
            guard taken > 0, rest(after: taken) else { break }
        }
        guard sent < bytes.count else { return }
        count(-min(bytes.count - sent, bodyBytes))
        throw ConnectionLost()
    }

    /// Waits until the next bytes may go. Keeps to a schedule, so that late wake-ups don't add up.
    private func rest(after count: Int) -> Bool {
        guard let pace else { return true }
        let next: ContinuousClock.Instant
        if let bucket = pace.bucket {
            next = bucket.pay(for: count)
        } else {
            next = (due ?? .now) + pace.interval
        }
        due = next
        let pause = next - .now
        return pause <= .zero || connection.wait(for: nil, upTo: pause)
    }
}
