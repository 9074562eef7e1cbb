import CSpateSystem
import Glibc
package import SpateFileSystemCalls
package import SpateHTTPResumption
import SpateLocking

/// Writing, reading and reserving.
extension PartialFile {
    /// Writes the unfilled part of `bytes` at `offset` and notes it as filled. Compares the filled part. Allocates only
    /// for an error or a file that may have gaps.
    ///
    /// A file without a name gets its partial name, unless it is now complete.
    ///
    /// - Parameter isLast: whether nothing follows, even if the size was unknown.
    /// - Returns: what is filled now; `nil` if some bytes differ from the file, or from bytes passed to `compare`.
    /// - Precondition: `allowGaps()` was true, or nothing is missing before `offset`.
    @discardableResult package func write(
        _ bytes: UnsafeRawBufferPointer,
        at offset: Int64,
        isLast: Bool = false
    ) throws(FileSystemError) -> FilledRanges? {
        let (end, overflow) = offset.addingReportingOverflow(Int64(bytes.count))
        guard !overflow, end <= largestFile else { throw FileSystemError(.write, file.path, code: EFBIG) }
        func part(_ range: Range<Int64>) -> UnsafeRawBufferPointer {
            UnsafeRawBufferPointer(rebasing: bytes[Int(range.lowerBound - offset)..<Int(range.upperBound - offset)])
        }
        var (start, agrees) = (offset, true)
        while true {
            let (gap, filled, file, cuts) = state.withLock { state in
                precondition(
                    offset <= state.filled.front || state.stored.record.filled != nil,
                    "gaps are allowed before bytes are written behind one"
                )
                return (state.filled.firstGap(in: start..<end), state.filled, state.file, state.cuts)
            }
            let filledEnd = gap?.lowerBound ?? end
            if start < filledEnd { agrees = try matches(part(start..<filledEnd), at: start) && agrees }
            guard let gap else { return agrees ? filled : nil }
            try file.write(part(gap), at: gap.lowerBound)
            // Write again if another connection has copied the file meanwhile.
            guard let noted = try note(gap, in: file, cuts, isLast: isLast) else { continue }
            for expected in noted.expected {
                agrees = expected.agree(with: part(gap), at: gap.lowerBound) && agrees
            }
            start = gap.upperBound
            if start == end { return agrees ? noted.filled : nil }
        }
    }

    /// Copies the unfilled part of these ranges from another file, and notes them as filled. Writes the record once, at
    /// the end, or not at all after an error.
    ///
    /// Nobody else may write meanwhile, and nothing may have been compared before.
    ///
    /// - Parameter goesOn: whether to go on; called from time to time. If not, what was copied so far is noted.
    /// - Precondition: `allowGaps()` was true, or nothing is missing before the ranges or between them.
    package func take(
        _ ranges: FilledRanges,
        from source: OpenFile,
        while goesOn: () -> Bool = { true }
    ) throws(FileSystemError) {
        guard ranges.end <= largestFile else { throw FileSystemError(.write, file.path, code: EFBIG) }
        var isNoted = false
        while !isNoted {
            var (filled, file, cuts, hasList) = state.withLock {
                ($0.filled, $0.file, $0.cuts, $0.stored.record.filled != nil)
            }
            for gap in ranges.ranges.flatMap({ filled.gaps(in: $0) }) {
                precondition(hasList || gap.lowerBound == filled.front, "gaps are allowed before ranges are taken")
                let end = try file.copy(gap, from: source, while: goesOn)
                filled.insert(gap.lowerBound..<end)
                if end < gap.upperBound { break }
            }
            isNoted = try note(filled, in: file, cuts)
        }
    }

    /// Whether these bytes, which are not written, equal those at `offset`. Unfilled bytes are compared when they are
    /// written.
    package func compare(_ bytes: UnsafeRawBufferPointer, at offset: Int64) throws(FileSystemError) -> Bool {
        let range = offset..<offset + Int64(bytes.count)
        let filled = state.withLock { state -> [Range<Int64>] in
            guard state.filled.firstGap(in: range) != nil else { return [range] }
            state.expected.append(ExpectedBytes(offset: offset, bytes: Array(bytes)))
            return state.filled.ranges.filter { $0.overlaps(range) }.map { $0.clamped(to: range) }
        }
        for part in filled {
            let bytes = bytes[Int(part.lowerBound - offset)..<Int(part.upperBound - offset)]
            guard try matches(UnsafeRawBufferPointer(rebasing: bytes), at: part.lowerBound) else { return false }
        }
        return true
    }

    /// Whether the file has exactly these bytes at `offset`.
    package func matches(_ bytes: UnsafeRawBufferPointer, at offset: Int64) throws(FileSystemError) -> Bool {
        try withUnsafeTemporaryAllocation(byteCount: min(bytes.count, 65_536), alignment: 16) {
            buffer throws(FileSystemError) in
            let file = file
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

    /// Smaller files get their blocks as they grow: reserving costs more than it saves.
    private static let leastReserved: Int64 = 1_048_576

    /// Reserves space for a file of `total` bytes, so that a full disk is known before the body arrives. The file's
    /// size stays.
    ///
    /// - Throws: a `FileSystemError` of kind `diskFull`; then nothing beyond the end of the file stays reserved.
    package func reserve(through total: Int64) throws(FileSystemError) {
        guard total >= Self.leastReserved else { return }
        let file = file
        let (status, filled) = (try file.status(), filled)
        guard total - filled.count >= Self.leastReserved else { return }
        guard total <= largestFile else { throw FileSystemError(.reserve, file.path, code: EFBIG) }

        var volume = spate_volume()
        guard platform.volume(file.descriptor, &volume) == 0 else { return }
        // An earlier run may have reserved blocks. A compressing file system needs fewer blocks than bytes.
        let needed = total - max(filled.count, status.allocated)
        if volume.available >= 0, needed > volume.available {
            throw FileSystemError(.reserve, file.path, code: ENOSPC)
        }
        guard volume.reservesCheaply else { return }

        do throws(FileSystemError) {
            try file.reserve(total - filled.front, from: filled.front)
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
    /// Whether reserving only adds an extent. Other file systems may write zeros, or (tmpfs) allocate all pages.
    fileprivate var reservesCheaply: Bool {
        [UInt(EXT4_SUPER_MAGIC), UInt(XFS_SUPER_MAGIC), UInt(BTRFS_SUPER_MAGIC), UInt(F2FS_SUPER_MAGIC)].contains(kind)
    }
}
