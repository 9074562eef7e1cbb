import CSystem
import Glibc
import Locking

/// Writing, reading, truncating and reserving.
extension PartialFile {
    /// Writes all of `bytes` at `offset`. Takes no lock and allocates nothing, but for an error.
    package func write(_ bytes: UnsafeRawBufferPointer, at offset: Int64) throws(FileSystemError) {
        let (end, overflow) = offset.addingReportingOverflow(Int64(bytes.count))
        guard !overflow, end <= largestFile else { throw FileSystemError(.write, file.path, code: EFBIG) }
        try file.write(bytes, at: offset, on: platform)
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

    /// Truncates the file. The durable mark is lowered first, so that it never promises bytes that are gone.
    ///
    /// At the mark or below, this resets `syncFailure`.
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

    /// Smaller files get their blocks as they grow: reserving costs more than it saves.
    private static let leastReserved: Int64 = 1_048_576

    /// Reserves space for a file of `total` bytes, so that a full disk is known before the body comes. The size of the
    /// file stays.
    ///
    /// - Throws: a `FileSystemError` of kind `diskFull`; then nothing stays reserved.
    package func reserve(through total: Int64) throws(FileSystemError) {
        guard total >= Self.leastReserved else { return }
        let status = try file.status()
        guard total - status.size >= Self.leastReserved else { return }
        guard total <= largestFile else { throw FileSystemError(.reserve, file.path, code: EFBIG) }

        var volume = spate_volume()
        guard spate_volume_of(file.descriptor, &volume) == 0 else { return }
        // An earlier run may have reserved blocks.
        let needed = total - max(status.size, status.allocated)
        if volume.available >= 0, needed > volume.available {
            throw FileSystemError(.reserve, file.path, code: ENOSPC)
        }
        guard volume.reservesCheaply else { return }

        do throws(FileSystemError) {
            try file.call(.reserve) { platform.reserve(file.descriptor, status.size, total - status.size) }
            state.withLock { $0.reservedEnd = total }
        } catch  where error.kind == .diskFull {
            // Free what was reserved before the disk was full.
            try? file.resize(to: status.size)
            throw error
        } catch {
            // The file system cannot reserve. If the disk is full, a write will fail.
        }
    }
}

extension spate_volume {
    /// Whether reserving adds an extent. Elsewhere it may write zeros, or (on tmpfs) take all the pages.
    fileprivate var reservesCheaply: Bool {
        [UInt(EXT4_SUPER_MAGIC), UInt(XFS_SUPER_MAGIC), UInt(BTRFS_SUPER_MAGIC), UInt(F2FS_SUPER_MAGIC)].contains(kind)
    }
}
