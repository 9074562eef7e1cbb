import CSystem
import Glibc
import Locking

/// Writing, comparing, cutting and reserving.
extension PartialFile {
    /// Writes all of `bytes` at `offset`. Takes no lock, and allocates nothing but the error.
    package func write(_ bytes: UnsafeRawBufferPointer, at offset: Int64) throws(FileSystemError) {
        let (end, overflow) = offset.addingReportingOverflow(Int64(bytes.count))
        guard !overflow, end <= largestFile else { throw FileSystemError(.write, file.path, code: EFBIG) }
        try file.write(bytes, at: offset, on: platform)
    }

    /// Reads what is at `offset`; fewer bytes than the buffer holds only at the end of the file.
    package func read(
        into buffer: UnsafeMutableRawBufferPointer,
        at offset: Int64
    ) throws(FileSystemError) -> Int {
        try file.read(into: buffer, at: offset)
    }

    /// Whether the file has exactly these bytes at `offset`.
    package func matches(_ bytes: UnsafeRawBufferPointer, at offset: Int64) throws(FileSystemError) -> Bool {
        try withUnsafeTemporaryAllocation(byteCount: min(bytes.count, 65_536), alignment: 16) {
            buffer throws(FileSystemError) in
            var done = 0
            while done < bytes.count {
                let end = min(bytes.count, done + buffer.count)
                let expected = UnsafeRawBufferPointer(rebasing: bytes[done..<end])
                let piece = UnsafeMutableRawBufferPointer(rebasing: buffer[..<expected.count])
                guard try file.read(into: piece, at: offset + Int64(done)) == expected.count else { return false }
                guard let ours = piece.baseAddress, let theirs = expected.baseAddress,
                    memcmp(ours, theirs, piece.count) == 0
                else { return false }
                done += expected.count
            }
            return true
        }
    }

    /// Cuts the file to `size`. The durable mark goes down first, so that it never promises what is gone.
    ///
    /// Cut to the mark or below, the file is sound again after a failed flush.
    package func truncate(to size: Int64) throws(FileSystemError) {
        try state.withLock { state throws(FileSystemError) in
            state.cuts += 1
            if let mark = state.stored.record.durable, mark.offset > size {
                var wanted = state.stored.record
                wanted.durable = DurableMark(offset: size, boot: mark.boot)
                try state.stored.update(to: wanted, of: file, on: platform, durably: true)
            }
            try file.resize(to: size)
            state.reservedEnd = 0
            if size <= state.stored.record.durable?.offset ?? 0 { state.syncFailure = nil }
        }
    }

    /// Below this a file takes its blocks as it grows: asking would cost more than it can save.
    private static let leastReserved: Int64 = 1_048_576

    /// Makes sure of room for a file of `total` bytes, so that a disk that is too small is known before the body comes.
    /// The file's size stays as it is.
    ///
    /// - Throws: a `FileSystemError` of kind `diskFull`; then nothing stays reserved.
    package func reserve(through total: Int64) throws(FileSystemError) {
        guard total >= Self.leastReserved else { return }
        let status = try file.status()
        guard total - status.size >= Self.leastReserved else { return }
        guard total <= largestFile else { throw FileSystemError(.reserve, file.path, code: EFBIG) }

        var volume = spate_volume()
        guard spate_volume_of(file.descriptor, &volume) == 0 else { return }
        // Blocks may be there already from an earlier run.
        let needed = total - max(status.size, status.allocated)
        if volume.available >= 0, needed > volume.available {
            throw FileSystemError(.reserve, file.path, code: ENOSPC)
        }
        guard volume.reservesCheaply else { return }

        do throws(FileSystemError) {
            try file.call(.reserve) { platform.reserve(file.descriptor, status.size, total - status.size) }
            state.withLock { $0.reservedEnd = total }
        } catch  where error.kind == .diskFull {
            // Half of it may have been had before that.
            try? file.resize(to: status.size)
            throw error
        } catch {
            // It cannot be done here: then the writes will tell.
        }
    }
}

extension spate_volume {
    /// Whether reserving is an entry in a list of extents. Elsewhere it may be the writing of zeros, or (tmpfs) the
    /// taking of every page.
    fileprivate var reservesCheaply: Bool {
        [UInt(EXT4_SUPER_MAGIC), UInt(XFS_SUPER_MAGIC), UInt(BTRFS_SUPER_MAGIC), UInt(F2FS_SUPER_MAGIC)].contains(kind)
    }
}
