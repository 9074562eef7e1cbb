package import SpateFileSystemCalls
package import SpateHTTPResumption
import SpateLocking
import SpateTiming

/// The filled ranges, their list in the record, and truncation.
extension PartialFile {
    /// Puts the list of filled ranges into the record, so that bytes may be written behind gaps.
    ///
    /// - Returns: false if the disk has no room for it.
    package func allowGaps() throws(FileSystemError) -> Bool {
        try state.withLock { state throws(FileSystemError) in
            if state.stored.record.filled != nil { return true }
            do throws(FileSystemError) {
                // The list before the mark: a mark in list form without a list counts alone.
                var wanted = state.stored.record
                wanted.filled = state.filled
                try update(&state, to: wanted)
                wanted = state.stored.record
                wanted.durable = wanted.durable?.cut(to: state.filled, isList: true)
                try update(&state, to: wanted)
                return true
            } catch {
                var wanted = state.stored.record
                wanted.filled = nil
                try? state.stored.update(to: wanted, of: state.file, durably: true)
                if error.kind == .diskFull { return false }
                throw error
            }
        }
    }

    /// Writes the record: a sidecar durably, because without a sync, a power cut could leave half of it, without its
    /// mark. A sidecar belongs to a name.
    func update(_ state: inout State, to wanted: ResumeRecord) throws(FileSystemError) {
        try state.stored.update(to: wanted, of: state.file, durably: true)
        if state.stored.medium == .sidecar { try appear(&state) }
    }

    /// Writes a record that promises more. On a full disk the older one stays.
    func raise(_ state: inout State, to wanted: ResumeRecord) throws(FileSystemError) {
        do throws(FileSystemError) {
            try update(&state, to: wanted)
        } catch  where error.kind == .diskFull {}
    }

    /// Notes that a range was written, if nothing was truncated since, and updates the list: in a sidecar at most once a
    /// second. Returns the filled ranges, and the bytes expected in this one; `nil` if the write went to a file that was
    /// replaced.
    func note(
        _ range: Range<Int64>,
        in file: OpenFile,
        _ cuts: Int,
        isLast: Bool
    ) throws(FileSystemError) -> (filled: FilledRanges, expected: [ExpectedBytes])? {
        try state.withLock { state throws(FileSystemError) in
            guard state.cuts == cuts, !state.isClosed else { return (state.filled, []) }
            if state.file.descriptor != file.descriptor { return nil }
            if state.filled.firstGap(in: range) != range { state.rewrites += 1 }
            state.filled.insert(range)
            let noted = (state.filled, state.takeExpected(in: range))
            let isWhole = isLast || state.stored.record.total.map { state.filled == FilledRanges(upTo: $0) } ?? false
            if !isWhole { try appear(&state) }
            guard state.stored.record.filled != nil else { return noted }
            if state.stored.medium == .sidecar {
                let began = runtime.now.stored
                if let next = state.nextListing, began < next { return noted }
                try list(&state)
                // A long list takes a tenth of the time at most.
                let ended = runtime.now.stored
                state.nextListing = ended + max(.seconds(1), (ended - began) * 10)
            } else {
                try list(&state)
            }
            return noted
        }
    }

    /// Notes all that is filled now, if nothing was truncated since, and updates the list. False if the bytes went to a
    /// file that was replaced.
    func note(_ filled: FilledRanges, in file: OpenFile, _ cuts: Int) throws(FileSystemError) -> Bool {
        try state.withLock { state throws(FileSystemError) in
            guard state.cuts == cuts, !state.isClosed else { return true }
            if state.file.descriptor != file.descriptor { return false }
            state.filled = filled
            if !filled.isEmpty { try appear(&state) }
            try list(&state)
            return true
        }
    }

    /// Updates the list, if there is one. With too many gaps it stays as it is: it promises less.
    func list(_ state: inout State) throws(FileSystemError) {
        guard state.stored.record.filled != nil, state.filled.isStorable else { return }
        var wanted = state.stored.record
        wanted.filled = state.filled
        try raise(&state, to: wanted)
    }

    /// Truncates the file. Lowers the durable mark first, so that it never promises bytes that are gone.
    ///
    /// If all that stays is durable, this resets `syncFailure`.
    package func truncate(to size: Int64) throws(FileSystemError) {
        try cut { $0.filled.prefix(size) }
    }

    /// After a failed sync, nobody must trust the bytes that may be lost: a later sync would succeed.
    package func dropUnsynced() {
        guard syncFailure != nil, (try? keepDurable()) == nil, (try? delete()) == nil else { return }
        guard let identity = try? file.status().identity else { return }
        platform.process.spoiledFiles.withLock { _ = $0.insert(identity) }
    }

    /// Truncates the file to the durable bytes. This resets `syncFailure`.
    package func keepDurable() throws(FileSystemError) {
        try cut { $0.filled.intersection($0.durable) }
    }

    /// Keeps only these of the filled bytes. The others become gaps.
    package func keep(only kept: FilledRanges) throws(FileSystemError) {
        try cut { $0.filled.intersection(kept) }
    }

    private func cut(_ kept: (State) -> FilledRanges) throws(FileSystemError) {
        try state.withLock { state throws(FileSystemError) in
            state.cuts += 1
            let kept = kept(state)
            try state.stored.cut(state.file, to: kept, isLonger: true)
            state.filled = kept
            state.reservedEnd = 0
            state.expected = []
            if state.filled.isPart(of: state.durable) { state.syncFailure = nil }
        }
    }
}
