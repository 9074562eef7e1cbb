package import SpateFileSystemCalls

/// The failures in a journal that this process writes.
extension JournalFile {
    /// The failures whose file was enqueued again later.
    ///
    /// - Parameter isLive: whether the failure of this number has no end.
    package func voidFailures(where isLive: (UInt64) -> Bool) throws(FileSystemError) -> NumberSet {
        var void = VoidFailures()
        try Self.forEachPiece(of: file, in: 0..<end) { piece in
            void.read(piece, isLive: isLive)
            return true
        }
        return void.numbers
    }

    /// The numbers of the failures for which the closure returns true, also of ended ones.
    package func failures(where isWanted: (JournalEntry) -> Bool) throws(FileSystemError) -> NumberSet {
        var numbers = NumberSet()
        try Self.forEachPiece(of: file, in: 0..<end) { piece in
            JournalRecord.forEachLine(of: piece) { line in
                guard case .failure(let number)? = JournalRecord.Head(line: line),
                    case .failure(_, let entry, _)? = JournalRecord(line: line), isWanted(entry)
                else { return }
                _ = numbers.insert(number)
            }
            return true
        }
        return numbers
    }
}
