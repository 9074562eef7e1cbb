import CSpateSystem
import Glibc

/// What a simulated disk can do, and how it behaves when the power fails.
package struct DiskTraits: Sendable {
    package enum Kind: Sendable, CaseIterable {
        case ext4, xfs, btrfs, tmpfs, nfs

        /// The magic number of `statfs(2)`.
        var magic: UInt {
            switch self {
            case .ext4: UInt(EXT4_SUPER_MAGIC)
            case .xfs: UInt(XFS_SUPER_MAGIC)
            case .btrfs: UInt(BTRFS_SUPER_MAGIC)
            case .tmpfs: UInt(TMPFS_MAGIC)
            case .nfs: UInt(NFS_SUPER_MAGIC)
            }
        }

        /// When names and attributes reach the disk by themselves.
        var commitInterval: Duration { self == .ext4 || self == .nfs ? .seconds(5) : .seconds(30) }
        /// Whether a new file may get the number of a deleted one.
        var reusesNumbers: Bool { self != .btrfs && self != .tmpfs }
        /// Whether a sync commits the names and attributes of other files that changed earlier.
        var hasOneJournal: Bool { self != .btrfs }
        /// Whether a file may come back longer than its bytes, with zeros.
        var mayGrowWithoutBytes: Bool { self == .xfs || self == .btrfs }
    }

    package var kind: Kind
    package var hasAttributes = true
    /// O_TMPFILE.
    package var hasUnnamedFiles = true
    /// RENAME_NOREPLACE.
    package var renamesWithoutReplacing = true
    package var hasHardLinks = true
    package var hasBirthTimes = true
    package var hasLocks = true
    /// inotify(7).
    package var hasWatches = true
    /// How many changes a watch keeps.
    package var watchCapacity = 16_384
    /// The bytes of all attributes of one file, names included.
    package var attributeRoom = 3_900
    /// The size limit of files that the process is told of.
    package var largestFile = Int64.max
    /// How many files a process may have open, as it is told.
    package var mostDescriptors = 1_024
    /// Calls take up to this long; a sync, up to `syncTime`.
    package var callTime = Duration.zero
    package var syncTime = Duration.zero

    package init(_ kind: Kind = .ext4) {
        self.kind = kind
        switch kind {
        case .nfs:
            (hasAttributes, hasUnnamedFiles, renamesWithoutReplacing, hasBirthTimes) = (false, false, false, false)
        case .tmpfs: hasBirthTimes = true
        default: break
        }
    }
}

/// What fails at present.
package struct DiskFaults: Sendable {
    /// Each sync fails with it. What was to be synced then counts as synced, whether it was or not.
    package var sync: CInt?
    /// Each sync of a folder fails with it. Its names can still be synced later.
    package var folderSync: CInt?
    package var write: CInt?
    package var read: CInt?
    /// Each open fails with it, such as EMFILE.
    package var open: CInt?
    /// One open in so many fails with it.
    package var someOpens: (code: CInt, share: Int)?
    /// Each change of an attribute fails with it.
    package var attributes: CInt?
    /// Each change of a name fails with it, such as EROFS.
    package var names: CInt?
    /// How many bytes may be written before `write` counts.
    package var bytesBeforeFailure = 0
    /// Whether writes write less than they could.
    package var writesShort = false
    package var delay = Duration.zero

    package init() {}
}
