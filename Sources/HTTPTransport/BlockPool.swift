/// Recycles the blocks in which a loop's transfers gather the small pieces of their bodies.
final class BlockPool {
    /// libcurl passes at most 16 KiB per callback. Writing blocks of this size takes two thirds of the time.
    static let blockSize = 256 * 1024

    private var idle: [UnsafeMutableRawBufferPointer] = []
    private static let idleLimit = 4

    deinit {
        for block in idle { block.deallocate() }
    }

    /// A block for a body of this length, if it is known. A short body gets a short block.
    func block(expecting bytes: Int?) -> UnsafeMutableRawBufferPointer {
        if let bytes, bytes < Self.blockSize / 4, idle.isEmpty {
            return .allocate(byteCount: max(bytes, 1), alignment: 64)
        }
        return idle.popLast() ?? .allocate(byteCount: Self.blockSize, alignment: 4096)
    }

    func recycle(_ block: UnsafeMutableRawBufferPointer) {
        if block.count == Self.blockSize, idle.count < Self.idleLimit {
            idle.append(block)
        } else {
            block.deallocate()
        }
    }
}
