import HTTPResumption
import HTTPSyntax
import Locking
import Timing

/// What is filled, its list in the record, and cutting it down.
extension PartialFile {
    /// Puts a list of what is filled into the record, so that bytes may be written behind gaps from now on.
    ///
    /// - Returns: false if the record has no room for it.
    package func allowGaps() throws(FileSystemError) -> Bool {
        try state.withLock { state throws(FileSystemError) in
            if state.stored.record.filled != nil { return true }
            // The list before the mark: a mark in the form of a list without a list counts for itself alone.
            var wanted = state.stored.record
            wanted.filled = state.filled
            try state.stored.update(to: wanted, of: state.file, durably: true)
            guard state.stored.record.filled != nil else { return false }
            wanted.durable = wanted.durable?.cut(to: state.filled, isList: true)
            try state.stored.update(to: wanted, of: state.file, durably: true)
            if state.stored.record.durable == wanted.durable { return true }
            wanted = state.stored.record
            wanted.filled = nil
            try state.stored.update(to: wanted, of: state.file, durably: true)
            return false
        }
    }

    /// Notes that a range was written, if nothing was cut off since, and brings the list up to date: a sidecar's once a
    /// second. Returns what is filled now, and what is expected of these bytes; `nil` if they were written to what is not the
    /// file any more.
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
                let now = platform.runtime.now
                if let listed = state.listed, now - listed < .seconds(1) { return noted }
                state.listed = now
            }
            try list(&state)
            return noted
        }
    }

    /// Brings the list up to date, if there is one. A list that is too long stays as it is: it promises less.
    func list(_ state: inout State) throws(FileSystemError) {
        guard state.stored.record.filled != nil, state.filled.isStorable else { return }
        var wanted = state.stored.record
        wanted.filled = state.filled
        // Without a sync, a power cut could leave half a sidecar, and with it no mark.
        try state.stored.update(to: wanted, of: state.file, durably: true)
    }

    /// Truncates the file. The durable mark is lowered first, so that it never promises bytes that are gone.
    ///
    /// If all that stays is durable, this resets `syncFailure`.
    package func truncate(to size: Int64) throws(FileSystemError) {
        try cut { $0.filled.prefix(size) }
    }

    /// After a failed sync, lets nobody take what may be lost for what is on disk: a later sync would succeed.
    package func dropUnsynced() {
        guard syncFailure != nil, (try? keepDurable()) == nil, (try? delete()) == nil else { return }
        if let identity = try? file.status().identity { platform.process.spoiledFiles.insert(identity) }
    }

    /// Cuts the file down to what is durable. This resets `syncFailure`.
    package func keepDurable() throws(FileSystemError) {
        try cut { $0.filled.intersection($0.durable) }
    }

    private func cut(_ kept: (State) -> FilledRanges) throws(FileSystemError) {
        try state.withLock { state throws(FileSystemError) in
            state.cuts += 1
            state.filled = try state.stored.cut(state.file, to: kept(state), isLonger: true)
            state.reservedEnd = 0
            state.expected = []
            if state.filled.isPart(of: state.durable) { state.syncFailure = nil }
        }
    }
}
