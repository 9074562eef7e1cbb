import Spate

/// `spate get`: fetches URLs.
enum GetCommand {
    static func run(_ arguments: Arguments) throws(UsageError) -> Int32 {
        let (items, rest, checksums) = try prepare(arguments)
        if items.isEmpty, !arguments.isQuiet { StandardStream.error.writeNotice(.emptyList(arguments.inputs)) }
        return fetch(items, then: rest, checksums, arguments)
    }

    /// Makes all checks that precede the first request.
    ///
    /// - Returns: the first items, the rest of a long list, and the checksums.
    static func prepare(
        _ arguments: Arguments
    ) throws(UsageError) -> (items: [DownloadItem], rest: URLList?, checksums: ChecksumList) {
        var list = try URLList(arguments)
        let first = try list.next(checkedCount)
        try arguments.checkForOneFile(first.count)
        try arguments.checkFolderCanBeMade()
        try arguments.checkAuthorities()
        let checksums = try ChecksumList(files: arguments.checksumLists)
        return (first, list.isAtEnd ? nil : list, checksums)
    }

    /// This many items are checked before anything is fetched. The rest of a longer list is read during the run.
    private static let checkedCount = 1000

    /// Fetches the items and the rest of the list, and returns the exit code.
    static func fetch(
        _ items: [DownloadItem],
        then rest: URLList? = nil,
        _ checksums: ChecksumList,
        _ arguments: Arguments
    ) -> Int32 {
        guard !items.isEmpty else { return 0 }
        let signals = SignalWatch()
        let terminal = isLive(arguments) ? TerminalSignals() : nil
        let run = DownloadRun(
            items: items,
            then: rest,
            checksums: checksums,
            arguments: arguments,
            display: display(for: arguments)
        )
        signals.start { run.stop(.signal($0)) }
        terminal?.start { run.handle($0) }
        return run.finish()
    }

    private static func display(for arguments: Arguments) -> any Display {
        let error = { (line: String) in _ = StandardStream.error.writeLine(line) }
        if arguments.writesJSON {
            return JSONLines(output: StandardStream.output.writeLine, error: error)
        }
        if arguments.isQuiet || !StandardStream.error.isTerminal { return NoDisplay(write: error) }
        guard isLive(arguments) else { return ProgressLines(write: error) }
        // Standard input holds the list then, even if it is a terminal.
        let keys = arguments.readsKeys && !arguments.inputs.contains("-")
        return LiveDisplay(terminal: LiveTerminal(readsKeys: keys), hasColours: LiveTerminal.hasColours)
    }

    /// Whether the live display is used.
    private static func isLive(_ arguments: Arguments) -> Bool {
        !arguments.writesJSON && !arguments.isQuiet && LiveTerminal.canBeDrawnOn
    }
}
