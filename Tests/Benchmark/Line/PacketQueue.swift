import Glibc

/// The packets that are on their way, in the order in which they arrive.
final class PacketQueue {
    /// What a device of the usual MTU gives at most.
    static let largestPacket = 1_500
    /// More than any line here holds, which is its rate times its delay, and its queue.
    private static let capacity = 16_384

    private let bytes = UnsafeMutableRawPointer.allocate(
        byteCount: capacity * largestPacket,
        alignment: MemoryLayout<UInt64>.alignment
    )
    private var sizes = [Int](repeating: 0, count: capacity)
    private var times = [UInt64](repeating: 0, count: capacity)
    /// They only go up; an index is what is left after division by the capacity.
    private var (first, end) = (0, 0)

    deinit {
        bytes.deallocate()
    }

    var isFull: Bool { end - first == Self.capacity }

    /// When the first packet arrives; `nil` if there is none.
    var nextTime: UInt64? { first == end ? nil : times[first % Self.capacity] }

    /// Room for the bytes of one more packet, which `append` then adds.
    var room: UnsafeMutableRawPointer { bytes + end % Self.capacity * Self.largestPacket }

    func append(size: Int, arrivingAt time: UInt64) {
        precondition(!isFull)
        (sizes[end % Self.capacity], times[end % Self.capacity]) = (size, time)
        end += 1
    }

    /// Writes the first packet to a device, and forgets it. What the device does not take is gone, as on a real line.
    func sendFirst(to tun: Int32) {
        let slot = first % Self.capacity
        _ = write(tun, bytes + slot * Self.largestPacket, sizes[slot])
        first += 1
    }
}
