/// Gathers libcurl's pieces of 16 KiB into larger blocks, without holding a byte back for long.
struct BodyBuffer {
    private let blocks: BlockPool
    private var block: UnsafeMutableRawBufferPointer?
    private var filled = 0
    private var expected: Int?
    /// The deadline for passing on the gathered bytes.
    private(set) var dueTime: LoopClock.Time?

    /// How far the file on disk may lag behind a slow connection.
    private static let maximumDelay: Duration = .milliseconds(250)

    init(blocks: BlockPool) {
        self.blocks = blocks
    }

    /// Sets the length of the body, so that a short one takes little memory.
    mutating func expect(_ count: Int64) {
        expected = Int(clamping: count)
    }

    /// Returns false if the sink wants no more bytes.
    mutating func append(
        _ piece: UnsafeRawBufferPointer,
        to sink: any TransportSink,
        now: LoopClock.Time
    ) -> Bool {
        // A body that arrives whole is not copied.
        if block == nil, piece.count == expected {
            return ExitGate.outside { sink.receive(bytes: piece, isLast: true) }
        }
        var piece = piece[...]
        while !piece.isEmpty {
            let block = self.block ?? blocks.block(expecting: expected)
            self.block = block
            if filled == 0 { dueTime = now + Self.maximumDelay }
            let part = piece.prefix(block.count - filled)
            UnsafeMutableRawBufferPointer(rebasing: block[filled...]).copyMemory(
                from: UnsafeRawBufferPointer(rebasing: part)
            )
            filled += part.count
            piece = piece.dropFirst(part.count)
            if filled == block.count, !flush(to: sink) { return false }
        }
        return true
    }

    /// Passes the gathered bytes to the sink. Returns false if it wants no more.
    ///
    /// - Parameter isLast: whether the body is complete with them.
    mutating func flush(to sink: any TransportSink, isLast: Bool = false) -> Bool {
        guard let block, filled > 0 else { return true }
        let bytes = UnsafeRawBufferPointer(rebasing: UnsafeRawBufferPointer(block)[..<filled])
        filled = 0
        dueTime = nil
        return ExitGate.outside { sink.receive(bytes: bytes, isLast: isLast) }
    }

    mutating func close() {
        if let block { blocks.recycle(block) }
        block = nil
        filled = 0
        dueTime = nil
    }
}

/// Recycles the blocks in which a loop's transfers gather the small pieces of their bodies.
///
/// With a block for each small file, every second block would need new pages from the system.
final class BlockPool {
    /// libcurl passes at most 16 KiB per callback. Writing blocks of this size takes two thirds of the time.
    static let blockSize = 256 * 1024
    /// For bodies that arrive in one such piece.
    static let shortSize = 16 * 1024

    /// The unused blocks of each size.
    private var idle: [Int: [UnsafeMutableRawBufferPointer]] = [:]
    private static let idleLimit = 4

    deinit {
        for block in idle.values.joined() { block.deallocate() }
    }

    /// A block for a body of this length, if it is known. A short body gets a short block.
    func block(expecting bytes: Int?) -> UnsafeMutableRawBufferPointer {
        let size = bytes ?? .max <= Self.shortSize ? Self.shortSize : Self.blockSize
        return idle[size]?.popLast() ?? .allocate(byteCount: size, alignment: 4096)
    }

    func recycle(_ block: UnsafeMutableRawBufferPointer) {
        guard idle[block.count]?.count ?? 0 < Self.idleLimit else { return block.deallocate() }
        idle[block.count, default: []].append(block)
    }
}
