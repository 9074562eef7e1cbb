import SpateFileSystemCalls

extension JournalReading {
    init(numbersOf file: OpenFile) throws(FileSystemError) {
        self.init()
        var reading = JournalReading()
        try JournalFile.forEachPiece(of: file) { piece in
            reading.readNumbers(in: piece)
            return true
        }
        self = reading
    }

    func forEachEntry(of file: OpenFile, _ body: (UInt64, JournalEntry) -> Void) throws(FileSystemError) {
        if !hasEntries { return }
        let isProven = try JournalProof.holds(for: file)
        var reading = self
        try JournalFile.forEachPiece(of: file) { piece in
            reading.readEntries(in: piece) { body($0, isProven ? $1 : $1.confined) }
            return reading.hasEntries
        }
    }

    /// Reads the failures that are not void, and their requests.
    ///
    /// - Returns: the void failures.
    @discardableResult
    func forEachFailure(
        of file: OpenFile,
        _ body: (UInt64, JournalEntry, JournalFailure) -> Void
    ) throws(FileSystemError) -> NumberSet {
        if !hasFailures { return NumberSet() }
        var void = VoidFailures()
        try JournalFile.forEachPiece(of: file) { piece in
            void.read(piece, isLive: hasFailure)
            return true
        }
        let isProven = try JournalProof.holds(for: file)
        var reading = self
        try JournalFile.forEachPiece(of: file) { piece in
            reading.readFailures(in: piece) { number, entry, failure in
                if !void.numbers.contains(number) { body(number, isProven ? entry : entry.confined, failure) }
            }
            return reading.hasFailures
        }
        return void.numbers
    }
}
