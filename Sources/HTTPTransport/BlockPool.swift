/// Memory in which a body's small pieces are gathered; a loop's transfers hand it on to each other.
final class BlockPool {
    /// libcurl hands over 16 KiB at most; written in pieces of this size the same bytes cost two thirds of the time.
    static let blockSize = 256 * 1024

    private var idle: [UnsafeMutableRawBufferPointer] = []
    private static let idleLimit = 4

    deinit {
        for block in idle { block.deallocate() }
    }

    /// A block of at least this size: a short body gets a short one.
    func take(expecting bytes: Int?) -> UnsafeMutableRawBufferPointer {
        if let bytes, bytes < Self.blockSize / 4, idle.isEmpty {
            return .allocate(byteCount: max(bytes, 1), alignment: 64)
        }
        return idle.popLast() ?? .allocate(byteCount: Self.blockSize, alignment: 4096)
    }

    func give(back block: UnsafeMutableRawBufferPointer) {
        if block.count == Self.blockSize, idle.count < Self.idleLimit {
            idle.append(block)
        } else {
            block.deallocate()
        }
    }
}
