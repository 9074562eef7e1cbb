/// An option of the program. The parser, the help, the completions and the manual page read the rows of `all`.
struct ProgramOption: Sendable, Equatable {
    /// The kind of an option's value. It follows from the name of the value.
    enum Value {
        case folder, file, text
    }

    typealias Apply = @Sendable (inout Arguments, OptionValue) throws(UsageError) -> Void

    /// The long name, without hyphens: `jobs`.
    let name: String
    /// The letter of the short form, if there is one: `j` for `-j`.
    let letter: Character?
    /// The name of the value: `DIR`; `nil` if the option takes none.
    let valueName: String?
    /// The commands that accept the option. `help` and `version` accept all.
    let commands: [Command]
    /// Whether only another page shows it, because the overview has no room.
    let isFurther: Bool
    /// Whether each use adds a value. Of other options the last use counts.
    let isRepeatable: Bool
    /// Sets the option, or throws if its value is invalid.
    let apply: Apply
    private let summary: String
    private let exception: (commands: [Command], summary: String)?

    /// - Parameters:
    ///   - forms: the forms as the help shows them: `-d, --directory DIR`.
    ///   - summary: a line for the help.
    ///   - exception: another line for some commands.
    private init(
        _ forms: String,
        _ summary: String,
        but exception: (commands: [Command], summary: String)? = nil,
        of commands: [Command] = [.get, .resume, .verify, .repair],
        isFurther: Bool = false,
        isRepeatable: Bool = false,
        _ apply: @escaping Apply
    ) {
        letter = forms.hasPrefix("--") ? nil : forms.dropFirst().first
        let words = forms.dropFirst(letter == nil ? 2 : 6).split(separator: " ", maxSplits: 1).map(String.init)
        (name, valueName) = (words[0], words.dropFirst().first)
        (self.summary, self.exception, self.commands) = (summary, exception, commands)
        (self.isFurther, self.isRepeatable, self.apply) = (isFurther, isRepeatable, apply)
    }

    static func == (one: ProgramOption, other: ProgramOption) -> Bool { one.name == other.name }

    /// The option with this form: `--jobs` or `-j`.
    static func named(_ form: String) -> ProgramOption? { all.first { $0.forms.contains(form) } }

    /// The long form: `--jobs`.
    var longForm: String { "--\(name)" }

    /// `-j` and `--jobs`.
    var forms: [String] { (letter.map { ["-\($0)"] } ?? []) + [longForm] }

    /// `nil` if the option takes no value.
    var value: Value? { valueName.map { $0 == "DIR" ? .folder : ["FILE", "PROGRAM"].contains($0) ? .file : .text } }

    /// The line for the help of a command.
    func summary(for command: Command) -> String {
        if let exception, exception.commands.contains(command) { exception.summary } else { summary }
    }
}

extension ProgramOption {
    /// All options, in the order of the help.
    static let all = places + speed + requests + contents + output + programs + help

    /// Those about files and lists.
    static let ofFiles = places + contents
    static let ofTransfers = speed + requests + output

    private static let places: [ProgramOption] = [
        .init(
            "-d, --directory DIR",
            "where files go (the current folder)",
            but: ([.status, .resume, .verify, .repair, .delete], "the folder (the current one)"),
            of: [.get, .status, .resume, .verify, .repair, .delete]
        ) { $0.directory = $1.text },
        .init(
            "--url-folders",
            "folders from the URL: host and path",
            of: [.get],
            isFurther: true,
            on(\.hasURLFolders)
        ),
        .init(
            "--cut-dirs N",
            "leave out N folders of the path of each URL",
            of: [.get],
            isFurther: true,
            set(\.cutFolders, wholeNumber(in: 0...1000))
        ),
        .init("-o, --output NAME", "the file's name (one URL only)", of: [.get], set(\.output, fileName)),
        .init(
            "--names WHO",
            "who names files: url, server, auto (url if clear)",
            of: [.get],
            isFurther: true,
            set(\.naming, naming)
        ),
        .init(
            "-i, --input FILE",
            "URLs from FILE, one a line, # comments; - is stdin",
            of: [.get, .delete],
            isRepeatable: true
        ) { $0.inputs.append($1.text) },
        .init(
            "-M, --metalink FILE",
            "the files of a Metalink: FILE or a URL",
            of: [.get, .repair],
            isFurther: true,
            isRepeatable: true
        ) { $0.metalinks.append($1.text) },
        .init(
            "--metalink-from-server",
            "the Metalink of each file, if its server names it",
            of: [.get, .resume],
            isFurther: true,
            on(\.usesServerMetalink)
        ),
        .init(
            "--shard K/N",
            "only part K of N of the lists (for N machines)",
            of: [.get],
            isFurther: true,
            set(\.shard, shard)
        ),
    ]

    private static let speed: [ProgramOption] = [
        .init("-j, --jobs N", "downloads at once (3)", set(\.jobs, wholeNumber(in: 1...1000))),
        .init(
            "-x, --connections N",
            "connections a file (auto: up to 4 if they help)",
            set(\.connections, connections)
        ),
        .init(
            "--max-per-host N",
            "connections to one host (no limit)",
            isFurther: true,
            set(\.maximumPerHost, wholeNumber(in: 1...1000))
        ),
        .init("--limit-rate RATE", "all downloads together, per second: 500K, 2M", set(\.rateLimit, rate)),
        .init(
            "--retries N",
            "retries without progress before giving up (5)",
            isFurther: true,
            set(\.retries, wholeNumber(in: 0...1_000_000))
        ),
        .init("--timeout SECONDS", "end an attempt after this long without data (30)", set(\.timeout, seconds)),
    ]

    private static let requests: [ProgramOption] = [
        .init("--header 'Name: value'", "send this header, or those in @FILE; repeatable", isRepeatable: true) {
            (arguments, value) throws(UsageError) in
            if let file = try headerFile(value) {
                arguments.headerFiles.append(file)
            } else {
                try HeaderField(value.text).add(to: &arguments.headers)
            }
        },
        .init("--netrc", "logins from ~/.netrc", isFurther: true, on(\.readsNetrc)),
        .init("--netrc-file FILE", "logins from FILE, read as curl reads it", isFurther: true) { $0.netrc = $1.text },
        .init("--cookies FILE", "send the cookies of a Netscape cookie file", isFurther: true) { $0.cookies = $1.text },
    ]

    private static let contents: [ProgramOption] = [
        .init("--max-size SIZE", "refuse larger files: bytes, or 500M, 2GB", set(\.maximumSize, size)),
        .init(
            "--checksum ALG:HEX",
            "check the only file",
            of: [.get, .repair],
            isFurther: true,
            set(\.checksum, checksum)
        ),
        .init("--checksums FILE", "check files by a list, as from sha256sum", isFurther: true, isRepeatable: true) {
            $0.checksumLists.append($1.text)
        },
        .init(
            "--mirror URL",
            "another place of the only file; repeatable",
            of: [.get, .repair],
            isFurther: true,
            isRepeatable: true
        ) { (arguments, value) throws(UsageError) in arguments.mirrors.append(try DownloadURL(value.text)) },
        .init("--cacert FILE", "trust these certificates, not the system's", isFurther: true) {
            $0.authorities = $1.text
        },
        .init("--overwrite", "replace a file that is already there", of: [.get, .resume], on(\.overwrites)),
        // `resume` does not need it: it continues a partial file beside a finished one as an update.
        .init("--online", "ask each file's server if it has changed", of: [.verify], on(\.asksOnline)),
        .init("--repair", "fetch damaged files anew", of: [.verify], on(\.repairs)),
        .init("--from FILE", "take right pieces from FILE, too", of: [.repair]) { $0.repairSource = $1.text },
        .init("--update", "fetch finished files again if they have changed", of: [.get], on(\.updates)),
        .init(
            "--skip-existing",
            "accept any existing file with that name",
            of: [.get],
            isFurther: true,
            on(\.skipsExisting)
        ),
        .init(
            "-R, --remote-time",
            "files get the server's time (Last-Modified)",
            isFurther: true,
            on(\.keepsServerTime)
        ),
    ]

    private static let output: [ProgramOption] = [
        .init(
            "--json",
            "one JSON object a line for each event, on stdout",
            but: ([.status, .verify], "an object a line: url, state, received, total..."),
            of: [.get, .status, .resume, .verify, .repair],
            on(\.writesJSON)
        ),
        .init(
            "--progress MODE",
            "auto, bar, plain (a line a file, for logs) or none",
            of: [.get, .resume, .repair],
            isFurther: true,
            set(\.progress, progress)
        ),
        .init(
            "-v, --verbose",
            "list every finished file, also of more than 100",
            of: [.get, .resume, .repair],
            isFurther: true,
            on(\.isVerbose)
        ),
        .init(
            "--log FILE",
            "append every event, as with --json, to FILE",
            of: [.get, .resume, .repair],
            isFurther: true
        ) {
            $0.log = $1.text
        },
        .init(
            "--failed FILE",
            "write the lines that fail to FILE, to read again",
            of: [.get, .resume],
            isFurther: true
        ) { $0.failed = $1.text },
        .init(
            "--no-keys",
            "do not read keys (on a terminal, ? shows them)",
            of: [.get, .resume, .repair],
            isFurther: true,
            on(\.ignoresKeys)
        ),
        .init("--serve", "only serve the files, to try programs on", of: [.demo], on(\.serves)),
        .init(
            "-q, --quiet",
            "print only errors",
            but: ([.status], "print nothing if there are no files"),
            of: [.get, .status, .resume, .verify, .repair, .delete],
            on(\.isQuiet)
        ),
    ]

    static let programs: [ProgramOption] = [
        .init(
            "--refresh-command PROGRAM",
            "ask it for URL and headers of each attempt",
            isFurther: true
        ) { $0.refreshCommand = $1.text },
        .init(
            "--refresh-on-retry",
            "not for first attempts",
            isFurther: true,
            on(\.refreshesOnlyRetries)
        ),
        .init("--on-finish PROGRAM", "run it for each finished file", of: [.get, .resume, .repair], isFurther: true) {
            $0.finishHook = $1.text
        },
        .init("--on-failure PROGRAM", "run it for each failed download", of: [.get, .resume, .repair], isFurther: true)
        {
            $0.failureHook = $1.text
        },
    ]

    private static let help: [ProgramOption] = [
        .init("-h, --help", "show the help about a command, and exit") { arguments, _ in arguments.command = .help },
        .init("--version", "show the version, and exit") { arguments, _ in arguments.command = .version },
    ]

    private typealias Property<Value> = any WritableKeyPath<Arguments, Value> & Sendable

    private static func on(_ property: Property<Bool>) -> Apply {
        { arguments, _ in arguments[keyPath: property] = true }
    }

    private static func set<Value>(_ property: Property<Value>, _ read: @escaping Reader<Value>) -> Apply {
        { (arguments, value) throws(UsageError) in arguments[keyPath: property] = try read(value) }
    }
}
