import Spate

/// `spate get`: fetches all URLs that were given.
enum GetCommand {
    static func run(_ arguments: Arguments) throws(UsageError) -> Int32 {
        let addresses = try arguments.addresses()
        try arguments.checkFolderCanBeMade()
        try arguments.checkAuthorities()
        if addresses.isEmpty, !arguments.isQuiet {
            StandardStream.error.writeLine("There is no URL in \(arguments.inputs.joined(separator: ", ")).")
        }
        return fetch(addresses.map { DownloadOrder(address: $0, fileName: arguments.output) }, arguments)
    }

    /// Fetches what was ordered, and returns the code to exit with.
    static func fetch(_ orders: [DownloadOrder], _ arguments: Arguments) -> Int32 {
        guard !orders.isEmpty else { return 0 }
        let signals = SignalWatch()
        let run = DownloadRun(orders: orders, arguments: arguments, display: display(for: arguments))
        signals.begin { run.stop(.signal($0)) }
        return run.finish()
    }

    private static func display(for arguments: Arguments) -> any Display {
        let error = { (line: String) in _ = StandardStream.error.writeLine(line) }
        if arguments.writesJSON {
            return JSONLines(output: StandardStream.output.writeLine, error: error)
        }
        return arguments.isQuiet || !StandardStream.error.isTerminal
            ? NoDisplay(write: error) : ProgressLines(write: error)
    }
}
