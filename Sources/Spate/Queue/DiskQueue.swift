/// The files whose bytes have all come, and which wait for their sync. They hold no slot, so that syncs are as many at a
/// time as the disk likes.
struct DiskQueue {
    /// A sync blocks a thread. On ext4, more at a time are no faster.
    static let mostFiles = 32
    /// If the disk is slower than the network, the slots hold the network back.
    static let mostBytes: Int64 = 64 << 20

    private(set) var count = 0
    private var bytes: Int64 = 0

    /// Admits a file with this many unsynced bytes; false if there is no room.
    mutating func enter(_ unsynced: Int64) -> Bool {
        guard count < Self.mostFiles, unsynced <= Self.mostBytes - bytes else { return false }
        count += 1
        bytes += unsynced
        return true
    }

    mutating func leave(_ unsynced: Int64) {
        count -= 1
        bytes -= unsynced
    }
}
