import Spate
import SpateConsole

/// `spate get`: fetches URLs.
enum GetCommand {
    /// A command line after its files have been read and checked.
    struct Prepared {
        var arguments: Arguments
        /// The first items.
        let items: [DownloadItem]
        /// The rest of a long list, to be read and fetched after the items.
        var rest: URLList?
        /// Lines among the first that can't be fetched.
        var faults: [String] = []
        /// What is not used of the options in the lists, if they have been read to their end.
        var unused = UnusedOptions()
        let files: OptionFiles
        /// Whether to continue the folder's unfinished downloads first.
        var restores = false
    }

    static func run(_ arguments: Arguments) throws -> Int32 {
        if arguments.writesContent { return try ContentCommand.run(arguments) }
        let programs = RunningPrograms()
        let relay = StopRelay.watching(programs, isLive: isLive(arguments))
        let prepared = try prepare(arguments)
        sayIfEmpty(prepared)
        return try fetch(consume prepared, programs, relay: relay)
    }

    static func sayIfEmpty(_ prepared: Prepared) {
        let given = prepared.arguments
        guard prepared.items.isEmpty, prepared.rest == nil, !given.isQuiet else { return }
        StandardStream.error.writeNotice(.emptyList(given.inputs, metalinks: given.metalinks, shard: given.shard))
    }

    /// Does all checks before the first request, except the check of the terminal.
    static func prepare(_ given: Arguments) throws(UsageError) -> Prepared {
        try FailedFile.check(given)
        try given.checkFolderCanBeMade()
        try given.checkOutput()
        try given.checkCertificates()
        if let log = given.log { try LineFile.Option.log.check(log) }
        let arguments = try given.withMetalinksApart.readingHeaderFiles()
        try arguments.checkMetalinkSecrets()
        let files = try OptionFiles(arguments)
        var list = try URLList(arguments, files)
        let (first, faults) = try list.first(checkedCount, atLeast: given.isForOneFile ? 2 : 1)
        try given.checkForOneFile(first.count)
        var prepared = Prepared(arguments: arguments, items: first, files: files)
        (prepared.faults, prepared.unused) = (faults, list.isAtEnd ? list.unused : UnusedOptions())
        if !list.isAtEnd { prepared.rest = list }
        return prepared
    }

    /// The number of items to check before the first request. The rest of a longer list is read during the run.
    private static let checkedCount = 1000

    /// Fetches the items and the rest of the list, and returns the exit code.
    ///
    /// - Parameters:
    ///   - prepared: consumed, so that the first items of a long list need no memory after their end.
    ///   - relay: passes on the signals that stop the program, if that was begun earlier.
    static func fetch(
        _ prepared: consuming Prepared,
        _ programs: RunningPrograms = RunningPrograms(),
        relay: StopRelay? = nil
    ) throws(UsageError) -> Int32 {
        let arguments = prepared.arguments
        guard !prepared.items.isEmpty || prepared.rest != nil || prepared.restores else {
            _ = try arguments.failed.map(FailedFile.init)
            return 0
        }
        if arguments.progress == .bar, !LiveTerminal.canBeDrawnOn { throw noTerminal }
        let display = try withLog(arguments.log, display(for: arguments))
        let relay = relay ?? StopRelay.watching(programs, isLive: isLive(arguments))
        let failed = try arguments.failed.map(FailedFile.init)
        let run = DownloadRun(consume prepared, display: display, failed: failed, programs)
        relay.pass(to: { run.stop(.signal($0)) })
        relay.pass(terminalTo: { run.handle($0) })
        defer { programs.end() }
        return run.finish()
    }

    static let noTerminal = UsageError(
        .noTerminal,
        "--progress bar needs a terminal at standard error that can move its cursor (see TERM); give --progress plain"
    )

    private static func display(for arguments: Arguments) -> any Display {
        let display = style(for: arguments).display(listsAll: arguments.isVerbose)
        guard arguments.writesJSON else { return display }
        return JSONLines(beside: display, output: StandardStream.output.writeLine)
    }

    /// The style of the display on standard error.
    private static func style(for arguments: Arguments) -> DisplayStyle {
        if isLive(arguments) {
            // A typed list comes from the terminal, so keys can't.
            let isTyped = arguments.inputs.contains("-") && LiveTerminal.isStandardInput
            let keys = !arguments.ignoresKeys && !isTyped
            return .live(readsKeys: keys)
        }
        switch arguments.progress {
        case .plain: return .log
        case .automatic where showsProgress(arguments): return .lines
        // The lines of --json have the retries.
        case .automatic where !arguments.isQuiet && !arguments.writesJSON: return .retries
        case .automatic, .bar, .none: return .none
        }
    }

    /// Adds the file of `--log` to a display.
    private static func withLog(_ path: String?, _ display: any Display) throws(UsageError) -> any Display {
        guard let path else { return display }
        let log = try LineFile(path, of: .log)
        return JSONLines(beside: display) { line in
            if let notice = log.append(line) { display.say(notice.text) }
            return true
        } finish: {
            if let notice = log.finish() { display.say(notice.text) }
        }
    }

    /// Whether to show progress by default.
    private static func showsProgress(_ arguments: Arguments) -> Bool {
        !arguments.writesJSON && !arguments.isQuiet && StandardStream.error.isTerminal
    }

    /// Whether to use the live display.
    static func isLive(_ arguments: Arguments) -> Bool {
        switch arguments.progress {
        // It begins after other threads, which would take the terminal's signals.
        case .automatic where arguments.command == .verify: false
        case .automatic: showsProgress(arguments) && LiveTerminal.canBeDrawnOn
        case .bar: true
        case .plain, .none: false
        }
    }
}
