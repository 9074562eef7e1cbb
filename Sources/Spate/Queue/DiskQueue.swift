/// The files whose bytes have all come, and which wait for their sync. They hold no slot, so that syncs are as many at a
/// time as the disk likes.
struct DiskQueue {
    /// What a file holds while it waits.
    struct Load: Equatable {
        let unsyncedBytes: Int64
        /// Three if its folder is open for this file alone: the folder above is opened to sync the name of a new one.
        let descriptors: Int
    }

    /// A sync blocks a thread. On ext4, more at a time are no faster.
    static let mostDescriptors = 32
    /// If the disk is slower than the network, the slots hold the network back.
    static let mostBytes: Int64 = 64 << 20

    private(set) var descriptors = 0
    private var bytes: Int64 = 0

    /// Whether the disk sets the pace.
    var isFull: Bool { descriptors >= Self.mostDescriptors || bytes >= Self.mostBytes / 2 }

    /// Admits a file; false if there is no room.
    mutating func enter(_ load: Load) -> Bool {
        guard load.descriptors <= Self.mostDescriptors - descriptors, load.unsyncedBytes <= Self.mostBytes - bytes
        else { return false }
        descriptors += load.descriptors
        bytes += load.unsyncedBytes
        return true
    }

    mutating func leave(_ load: Load) {
        descriptors -= load.descriptors
        bytes -= load.unsyncedBytes
    }
}
