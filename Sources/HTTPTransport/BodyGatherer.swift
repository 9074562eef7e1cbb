/// Gathers libcurl's pieces of 16 KiB into blocks worth a system call, and keeps none back for long.
struct BodyGatherer {
    private let blocks: BlockPool
    private var block: UnsafeMutableRawBufferPointer?
    private var filled = 0
    private var expected: Int?
    /// When the bytes at hand must be handed over at the latest.
    private(set) var dueTime: ContinuousClock.Instant?

    /// On a slow line the file on disk stays this fresh.
    private static let patience: Duration = .milliseconds(250)

    init(blocks: BlockPool) {
        self.blocks = blocks
    }

    /// How many bytes are to come, so that a short body takes little memory.
    mutating func expect(_ count: Int64) {
        expected = Int(clamping: count)
    }

    /// False when the sink wants no more.
    mutating func append(
        _ piece: UnsafeRawBufferPointer,
        to sink: any TransportSink,
        now: ContinuousClock.Instant
    ) -> Bool {
        var piece = piece[...]
        while !piece.isEmpty {
            let block = self.block ?? blocks.take(expecting: expected)
            self.block = block
            if filled == 0 { dueTime = now + Self.patience }
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

    /// Hands over what has been gathered; false when the sink wants no more.
    mutating func flush(to sink: any TransportSink) -> Bool {
        guard let block, filled > 0 else { return true }
        let bytes = UnsafeRawBufferPointer(rebasing: UnsafeRawBufferPointer(block)[..<filled])
        filled = 0
        dueTime = nil
        return sink.receive(bytes: bytes)
    }

    mutating func close() {
        if let block { blocks.give(back: block) }
        block = nil
        filled = 0
        dueTime = nil
    }
}
