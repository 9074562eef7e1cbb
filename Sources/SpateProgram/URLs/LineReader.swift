import Glibc
import SpateConsole

/// Reads a file descriptor line by line.
struct LineReader: Sendable {
    enum Failure: Error, Equatable {
        /// The system call failed with this code.
        case reading(Int32)
        /// A line is longer than `longestLine`. The next call continues after it.
        ///
        /// - Parameter isIndented: whether it begins with a space or a tab.
        case lineTooLong(isIndented: Bool)
        /// A line is longer than `mostSkipped`, too. There is no next one.
        case noLineEnd
    }

    /// Longer than any URL that servers accept. The limit bounds the memory.
    static let longestLine = 65_536
    /// What has no line break for so long is not a text.
    private static let mostSkipped = 16 << 20

    private let descriptor: OpenDescriptor
    private var chunk = [UInt8](repeating: 0, count: 65_536)
    private var filled = 0
    private var position = 0
    /// The start of a line whose end has not been read yet.
    private var pending: [UInt8] = []
    private var isAtEnd = false
    /// Whether the last line was valid UTF-8.
    private(set) var isUTF8 = true

    init(_ descriptor: OpenDescriptor) {
        self.descriptor = descriptor
    }

    /// The next line without its line break, or `nil` at the end. Invalid UTF-8 becomes replacement characters.
    mutating func next() throws(Failure) -> String? {
        while true {
            let unread = chunk[position..<filled]
            if let lineFeed = unread.firstIndex(of: 0x0A) {
                position = lineFeed + 1
                return try line(endingWith: unread[..<lineFeed])
            }
            guard pending.count + unread.count <= Self.longestLine else {
                let first = pending.first ?? unread.first
                pending = []
                try skipLine()
                throw .lineTooLong(isIndented: Self.isBlank(first))
            }
            pending += unread
            position = filled
            if isAtEnd {
                return pending.isEmpty ? nil : try line(endingWith: [])
            }
            try fill()
        }
    }

    /// Whether the next line has been read, or the end.
    var hasLine: Bool {
        isAtEnd || pending.count + filled - position > Self.longestLine || chunk[position..<filled].contains(0x0A)
    }

    /// Reads what comes until there is a line, but no longer than to the deadline.
    ///
    /// - Returns: whether `next` need not wait.
    mutating func awaitLine(until deadline: ContinuousClock.Instant) -> Bool {
        while !hasLine {
            let rest = max(.zero, deadline - .now) / .milliseconds(1)
            guard hasInput(within: Int32(min(rest.rounded(.up), 1_000_000))) else {
                if .now < deadline { continue }
                return false
            }
            pending += chunk[position..<filled]
            position = filled
            // After a failure `next` reads again, and says why.
            if (try? fill()) == nil { return true }
        }
        return true
    }

    private func hasInput(within milliseconds: Int32) -> Bool {
        var wanted = pollfd(fd: descriptor.number, events: Int16(POLLIN), revents: 0)
        return poll(&wanted, 1, milliseconds) > 0
    }

    private mutating func line(endingWith bytes: ArraySlice<UInt8>) throws(Failure) -> String {
        defer { pending.removeAll(keepingCapacity: true) }
        guard pending.count + bytes.count <= Self.longestLine else {
            throw .lineTooLong(isIndented: Self.isBlank(pending.first ?? bytes.first))
        }
        let line = pending.isEmpty ? bytes : pending + bytes
        let text = String(validating: line, as: UTF8.self)
        isUTF8 = text != nil
        return text ?? String(decoding: line, as: UTF8.self)
    }

    /// Reads to the next line, or to the end.
    private mutating func skipLine() throws(Failure) {
        var skipped = 0
        while skipped < Self.mostSkipped {
            if let lineFeed = chunk[position..<filled].firstIndex(of: 0x0A) {
                position = lineFeed + 1
                return
            }
            skipped += filled - position
            position = filled
            if isAtEnd { return }
            try fill()
        }
        throw .noLineEnd
    }

    private static func isBlank(_ byte: UInt8?) -> Bool { byte == 0x20 || byte == 0x09 }

    private mutating func fill() throws(Failure) {
        position = 0
        filled = 0
        while true {
            // A pipe that nobody has opened to write yet seems to be at its end.
            guard hasInput(within: -1) else { continue }
            let count = read(descriptor.number, &chunk, chunk.count)
            if count < 0 {
                guard errno == EINTR || errno == EAGAIN else { throw .reading(errno) }
                continue
            }
            filled = count
            isAtEnd = count == 0
            return
        }
    }
}
