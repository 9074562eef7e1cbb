import Glibc

/// Disks that are full, fail or are slow, for a while.
extension World {
    private enum Trouble: CaseIterable {
        case full, writes, shortWrites, reads, syncs, folderSyncs, opens, attributes, names, slow
        /// Nothing can be changed.
        case broken
    }

    private static let changes = [Trouble.writes, .syncs, .attributes, .names]

    func planDiskTroubles() {
        for _ in 0..<traits.diskTroubleCount {
            let (trouble, start) = (timeline.pick(Trouble.allCases), timeline.time(upTo: traits.faultTime))
            let longest = timeline.pick([Duration.milliseconds(2), .milliseconds(100), .seconds(2), traits.faultTime])
            let length = timeline.time(upTo: longest)
            timeline.after(start) { [self] in
                if isEnding || failure != nil { return }
                begin(trouble)
                timeline.after(length) { [self] in lift(trouble) }
            }
        }
    }

    private func begin(_ trouble: Trouble) {
        timeline.note("the disk: \(trouble)")
        switch trouble {
        case .full: disk.capacity = disk.usedBytes + timeline.pick([0, 8_192, 100_000, 1_000_000])
        case .writes:
            disk.faults.write = timeline.pick([EIO, ENOSPC, EDQUOT, EFBIG])
            disk.faults.bytesBeforeFailure = timeline.pick([0, 100, 20_000, 500_000])
        case .shortWrites: disk.faults.writesShort = true
        case .reads: disk.faults.read = EIO
        case .syncs: disk.faults.sync = timeline.pick([EIO, EIO, ENOSPC, EDQUOT])
        case .folderSyncs: disk.faults.folderSync = timeline.pick([EIO, EIO, ENOSPC, EDQUOT])
        case .opens: disk.faults.open = timeline.pick([EMFILE, ENFILE])
        case .attributes: disk.faults.attributes = timeline.pick([EIO, ENOSPC, EDQUOT])
        case .names: disk.faults.names = timeline.pick([EROFS, ENOSPC, EIO])
        case .broken: for trouble in Self.changes { begin(trouble) }
        case .slow: disk.faults.delay = timeline.pick([.microseconds(100), .milliseconds(5)])
        }
    }

    private func lift(_ trouble: Trouble) {
        timeline.note("the disk: no \(trouble)")
        switch trouble {
        case .full: disk.capacity = nil
        case .writes: (disk.faults.write, disk.faults.bytesBeforeFailure) = (nil, 0)
        case .shortWrites: disk.faults.writesShort = false
        case .reads: disk.faults.read = nil
        case .syncs: disk.faults.sync = nil
        case .folderSyncs: disk.faults.folderSync = nil
        case .opens: disk.faults.open = nil
        case .attributes: disk.faults.attributes = nil
        case .names: disk.faults.names = nil
        case .broken: for trouble in Self.changes { lift(trouble) }
        case .slow: disk.faults.delay = .zero
        }
    }
}
