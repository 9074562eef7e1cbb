import Spate

/// `spate get`: fetches all URLs that were given.
enum GetCommand {
    static func run(_ arguments: Arguments) throws(UsageError) -> Int32 {
        let (orders, rest) = try begin(arguments)
        if orders.isEmpty, !arguments.isQuiet { StandardStream.error.tell(.emptyList(arguments.inputs)) }
        return fetch(orders, then: rest, arguments)
    }

    /// Checks what can be checked before anything is fetched, and returns what comes first and where the list goes on.
    static func begin(_ arguments: Arguments) throws(UsageError) -> (orders: [DownloadOrder], rest: AddressList?) {
        var list = try AddressList(arguments)
        let first = try list.next(checkedCount)
        try arguments.checkOutput(names: first.count)
        try arguments.checkFolderCanBeMade()
        try arguments.checkAuthorities()
        let orders = first.map { DownloadOrder(address: $0, fileName: arguments.output) }
        return (orders, list.isAtEnd ? nil : list)
    }

    /// So many URLs are checked before anything is fetched. The rest of a longer list is read while they are.
    private static let checkedCount = 1000

    /// Fetches what was ordered, and what a list still holds, and returns the code to exit with.
    static func fetch(_ orders: [DownloadOrder], then rest: AddressList? = nil, _ arguments: Arguments) -> Int32 {
        guard !orders.isEmpty else { return 0 }
        let signals = SignalWatch()
        let terminal = isLive(arguments) ? TerminalSignals() : nil
        let run = DownloadRun(orders: orders, then: rest, arguments: arguments, display: display(for: arguments))
        signals.begin { run.stop(.signal($0)) }
        terminal?.begin { run.handle($0) }
        return run.finish()
    }

    private static func display(for arguments: Arguments) -> any Display {
        let error = { (line: String) in _ = StandardStream.error.writeLine(line) }
        if arguments.writesJSON {
            return JSONLines(output: StandardStream.output.writeLine, error: error)
        }
        if arguments.isQuiet || !StandardStream.error.isTerminal { return NoDisplay(write: error) }
        guard isLive(arguments) else { return ProgressLines(write: error) }
        // A list from standard input is no keys, even when it is typed.
        let keys = arguments.readsKeys && !arguments.inputs.contains("-")
        return LiveDisplay(terminal: LiveTerminal(readsKeys: keys), hasColours: LiveTerminal.hasColours)
    }

    /// Whether there is a terminal that can be drawn on.
    private static func isLive(_ arguments: Arguments) -> Bool {
        !arguments.writesJSON && !arguments.isQuiet && LiveTerminal.canBeDrawnOn
    }
}
