/// An option of the program. All that can be said about it is in its row of the table below: the parser, the help, the
/// completions, the manual page, the command that a stopped run suggests and the check of `--failed` read it there.
struct ProgramOption: Sendable, Equatable {
    /// The kind of an option's value. It follows from the name of the value.
    enum Value: String {
        case folder = "DIR"
        case file = "FILE"
        case program = "PROGRAM"
        case text
    }

    typealias Apply = @Sendable (inout Arguments, OptionValue) throws(UsageError) -> Void

    /// The long name, without hyphens: `jobs`.
    let name: String
    /// The letter of the short form, if there is one: `j` for `-j`.
    let letter: Character?
    /// The name of the value: `DIR`, or `N|auto` with a word in small letters that it may be; `nil` if the option takes
    /// none.
    let valueName: String?
    /// The commands that accept the option. `help` and `version` accept all.
    let commands: [Command]
    /// Whether the overview shows it, too.
    let isOnOverview: Bool
    /// Whether each use adds a value. Of other options the last use counts.
    let isRepeatable: Bool
    /// Whether its value must not be printed again.
    let isSecret: Bool
    /// Whether its value is a URL that may have a user and password. Then it must not be printed again either.
    let mayHaveLogin: Bool
    /// Whether its value may be a file after an `@`.
    let takesFileAfterAt: Bool
    /// Whether `spate resume` goes on as before only with this option. It does not need what is stored in the queue, and
    /// what is about the speed and the output of a run.
    let isNeededByResume: Bool
    /// Sets the option, or throws if its value is invalid.
    let apply: Apply
    private let summary: String
    private let exception: (commands: [Command], summary: String)?

    /// - Parameters:
    ///   - forms: the forms as the help shows them: `-d, --directory DIR`. A value DIR is a folder, FILE is a file, and
    ///     PROGRAM is a program; the others are texts.
    ///   - summary: a line for the help.
    ///   - exception: another line for some commands.
    private init(
        _ forms: String,
        _ summary: String,
        but exception: (commands: [Command], summary: String)? = nil,
        of commands: [Command] = [.get, .resume, .verify, .repair],
        isOnOverview: Bool = false,
        isRepeatable: Bool = false,
        isSecret: Bool = false,
        mayHaveLogin: Bool = false,
        takesFileAfterAt: Bool = false,
        isNeededByResume: Bool = true,
        _ apply: @escaping Apply
    ) {
        letter = forms.hasPrefix("--") ? nil : forms.dropFirst().first
        let words = forms.dropFirst(letter == nil ? 2 : 6).split(separator: " ", maxSplits: 1).map(String.init)
        (name, valueName) = (words[0], words.dropFirst().first)
        (self.summary, self.exception, self.commands) = (summary, exception, commands)
        (self.isOnOverview, self.isRepeatable, self.isSecret) = (isOnOverview, isRepeatable, isSecret)
        self.mayHaveLogin = mayHaveLogin
        (self.takesFileAfterAt, self.isNeededByResume) = (takesFileAfterAt, isNeededByResume)
        self.apply = apply
    }

    static func == (one: ProgramOption, other: ProgramOption) -> Bool { one.name == other.name }

    /// The option with this form: `--jobs` or `-j`.
    static func named(_ form: String) -> ProgramOption? { all.first { $0.forms.contains(form) } }

    /// The long form: `--jobs`.
    var longForm: String { "--\(name)" }

    /// The long forms in a sentence: `--jobs, --retries and --timeout`.
    static func list(_ options: [ProgramOption]) -> String {
        let names = options.map(\.longForm)
        return (names.count > 1 ? names.dropLast().joined(separator: ", ") + " and " : "") + (names.last ?? "")
    }

    /// `-j` and `--jobs`.
    var forms: [String] { (letter.map { ["-\($0)"] } ?? []) + [longForm] }

    /// `nil` if the option takes no value.
    var value: Value? { valueName.map { Value(rawValue: $0) ?? .text } }

    /// The words that the value may be: `auto` of `N|auto`.
    var valueWords: [String] {
        (valueName ?? "").split(separator: "|").map(String.init).filter { $0 == $0.lowercased() }
    }

    /// The line for the help of a command.
    func summary(for command: Command) -> String {
        if let exception, exception.commands.contains(command) { exception.summary } else { summary }
    }
}

extension ProgramOption {
    /// All options, in the order of the manual page. Each is in the list of the help page that shows it.
    static let all = files + lists + checksums + speed + time + requests + output + programs + ofOneCommand + general

    /// Where files go, and which may be replaced.
    static let files: [ProgramOption] = [
        .init(
            "-d, --directory DIR",
            "where files go (the current folder)",
            but: ([.status, .resume, .verify, .repair, .delete], "the folder (the current one)"),
            of: [.get, .status, .resume, .verify, .repair, .delete],
            isOnOverview: true
        ) { $0.directory = $1.text },
        .init("--url-folders", "folders from the URL: host and path", of: [.get], on(\.hasURLFolders)),
        .init(
            "--cut-dirs N",
            "leave out N folders of the path of each URL",
            of: [.get],
            set(\.cutFolders, wholeNumber(in: 0...1000))
        ),
        .init(
            "-o, --output FILE",
            "the only file's name or path; - is stdout",
            of: [.get],
            isOnOverview: true,
            set(\.output, output)
        ),
        .init(
            "--names WHO",
            "who names files: url, server, auto (url if clear)",
            of: [.get],
            set(\.naming, naming)
        ),
        .init(
            "--max-size SIZE",
            "refuse larger files: bytes, or 500M, 2GB",
            set(\.maximumSize, size)
        ),
        .init(
            "--overwrite",
            "replace a file that is already there",
            of: [.get, .resume],
            isOnOverview: true,
            on(\.overwrites)
        ),
        // `resume` does not take it: it continues a partial file beside a finished one as an update.
        .init(
            "--update",
            "fetch finished files again if they have changed",
            of: [.get],
            isOnOverview: true,
            on(\.updates)
        ),
        .init("--skip-existing", "accept any existing file with that name", of: [.get], on(\.skipsExisting)),
        .init("-R, --remote-time", "files get the server's time (Last-Modified)", on(\.keepsServerTime)),
    ]

    /// Lists of URLs.
    static let lists: [ProgramOption] = [
        .init(
            "-i, --input FILE",
            "URLs from FILE, one a line, # comments; - is stdin",
            of: [.get, .delete],
            isOnOverview: true,
            isRepeatable: true
        ) { $0.inputs.append($1.text) },
        .init("--shard K/N", "only part K of N of the lists (for N machines)", of: [.get], set(\.shard, shard)),
        .init(
            "--failed FILE",
            "write the lines that fail to FILE, to read again",
            of: [.get, .resume],
            isNeededByResume: false
        ) { $0.failed = $1.text },
    ]

    /// Where else a file is, and how to know that it is right.
    static let checksums: [ProgramOption] = [
        .init("--checksum ALG:HEX", "check the only file", of: [.get, .repair], set(\.checksum, checksum)),
        .init("--checksums FILE", "check files by a list, as from sha256sum", isRepeatable: true) {
            $0.checksumLists.append($1.text)
        },
        .init(
            "--mirror URL",
            "another place of the only file; repeatable",
            of: [.get, .repair],
            isRepeatable: true
        ) { (arguments, value) throws(UsageError) in arguments.mirrors.append(try DownloadURL(value.text)) },
        .init(
            "-M, --metalink FILE",
            "the files of a Metalink: FILE or a URL",
            of: [.get, .repair],
            isRepeatable: true
        ) { $0.metalinks.append($1.text) },
        .init(
            "--metalink-from-server",
            "the Metalink of each file, if its server names it",
            of: [.get, .resume],
            isNeededByResume: false,
            on(\.usesServerMetalink)
        ),
        .init("--no-server-mirrors", "do not use other URLs that servers name", on(\.ignoresServerMirrors)),
        .init("--public-only", "connect to no private or local address", on(\.isPublicOnly)),
    ]

    /// How much at once, and how fast.
    static let speed: [ProgramOption] = [
        .init(
            "-j, --jobs N|auto",
            "downloads at once (auto: up to 64 if they help)",
            isOnOverview: true,
            isNeededByResume: false,
            set(\.jobs, concurrency)
        ),
        .init(
            "-x, --connections N|auto",
            "connections a file (auto: up to 16 if they help)",
            isOnOverview: true,
            isNeededByResume: false,
            set(\.connections, connections)
        ),
        .init(
            "--max-per-host N",
            "connections to one host (no limit)",
            isNeededByResume: false,
            set(\.maximumPerHost, wholeNumber(in: 1...1000))
        ),
        .init(
            "--limit-rate RATE",
            "all downloads together, per second: 500K, 2M",
            isOnOverview: true,
            isNeededByResume: false,
            set(\.rateLimit, rate)
        ),
    ]

    /// When an attempt or a download is given up.
    static let time: [ProgramOption] = [
        .init(
            "--retries N",
            "retries without progress before giving up (5)",
            isNeededByResume: false,
            set(\.retries, wholeNumber(in: 0...1_000_000))
        ),
        .init(
            "--timeout SECONDS",
            "end an attempt after this long without data (30)",
            isNeededByResume: false,
            set(\.timeout, seconds)
        ),
        .init(
            "--max-time SECONDS",
            "a file takes no longer, its retries included",
            of: [.get, .resume],
            isNeededByResume: false,
            set(\.timeLimit, seconds)
        ),
        .init(
            "--speed-limit RATE",
            "end an attempt that is slower: 1K, 50K",
            isNeededByResume: false,
            set(\.minimumSpeed, rate)
        ),
        .init(
            "--speed-time SECONDS",
            "slower for this long (30)",
            isNeededByResume: false,
            set(\.minimumSpeedTime, seconds)
        ),
    ]

    /// What is sent to servers, and whom to trust.
    static let requests: [ProgramOption] = [
        .init(
            "--header 'Name: value'",
            "send this header, or those in @FILE; repeatable",
            isOnOverview: true,
            isRepeatable: true,
            isSecret: true,
            takesFileAfterAt: true
        ) { (arguments, value) throws(UsageError) in
            if let file = try headerFile(value) {
                arguments.headerFiles.append(file)
            } else {
                try HeaderField(value.text).add(to: &arguments.headers)
            }
        },
        .init(
            "--proxy URL",
            "use this proxy (http, socks5h...), or none",
            mayHaveLogin: true,
            set(\.proxy, proxy)
        ),
        .init(
            "--max-redirs N",
            "follow at most N redirects in a row (20)",
            set(\.maximumRedirects, wholeNumber(in: 0...1000))
        ),
        .init("--netrc", "logins from ~/.netrc", on(\.readsNetrc)),
        .init("--netrc-file FILE", "logins from FILE, read as curl reads it") { $0.netrc = $1.text },
        .init("--cookies FILE", "send the cookies of a Netscape cookie file") { $0.cookies = $1.text },
        .init("--cacert FILE", "trust these certificates, not the system's") { $0.authorities = $1.text },
        .init("--cert FILE", "show this certificate to servers that ask for one") { $0.certificate = $1.text },
        .init("--key FILE", "the private key of --cert, if not in that file") { $0.certificateKey = $1.text },
    ]

    /// What a run prints.
    static let output: [ProgramOption] = [
        .init(
            "--json",
            "one JSON object a line for each event, on stdout",
            but: ([.status, .verify], "an object a line: url, state, received, total..."),
            of: [.get, .status, .resume, .verify, .repair],
            isOnOverview: true,
            isNeededByResume: false,
            on(\.writesJSON)
        ),
        .init(
            "--progress MODE",
            "auto, bar, plain (a line a file, for logs) or none",
            of: [.get, .resume, .repair],
            isNeededByResume: false,
            set(\.progress, progress)
        ),
        .init(
            "-v, --verbose",
            "list every finished file, also of more than 100",
            of: [.get, .resume, .repair],
            isNeededByResume: false,
            on(\.isVerbose)
        ),
        .init(
            "--log FILE",
            "append every event, as with --json, to FILE",
            of: [.get, .resume, .repair],
            isNeededByResume: false
        ) { $0.log = $1.text },
        .init(
            "--no-keys",
            "do not read keys (on a terminal, ? shows them)",
            of: [.get, .resume, .repair],
            isNeededByResume: false,
            on(\.ignoresKeys)
        ),
        .init(
            "-q, --quiet",
            "print only errors",
            but: ([.status], "print nothing if there are no files"),
            of: [.get, .status, .resume, .verify, .repair, .delete],
            isOnOverview: true,
            isNeededByResume: false,
            on(\.isQuiet)
        ),
    ]

    /// Programs of the user.
    static let programs: [ProgramOption] = [
        .init("--refresh-command PROGRAM", "ask it for URL and headers of each attempt") {
            $0.refreshCommand = $1.text
        },
        .init("--refresh-on-retry", "not for first attempts", on(\.refreshesOnlyRetries)),
        .init("--on-finish PROGRAM", "run it for each finished file", of: [.get, .resume, .repair]) {
            $0.finishHook = $1.text
        },
        .init("--on-failure PROGRAM", "run it for each failed download", of: [.get, .resume, .repair]) {
            $0.failureHook = $1.text
        },
    ]

    /// Those that the page of their only command shows.
    static let ofOneCommand: [ProgramOption] = [
        .init("--all", "on a terminal, list every file", of: [.status], on(\.listsAll)),
        .init("--online", "ask each file's server if it has changed", of: [.verify], on(\.asksOnline)),
        .init("--repair", "fetch damaged and changed files anew", of: [.verify], on(\.repairs)),
        .init("--from FILE", "take right pieces from FILE, too", of: [.repair]) { $0.repairSource = $1.text },
        .init("--serve", "only serve the files, to try programs on", of: [.demo], on(\.serves)),
    ]

    /// Those of every command.
    static let general: [ProgramOption] = [
        .init("-h, --help", "show the help about a command, and exit", isNeededByResume: false) { arguments, _ in
            arguments.command = .help
        },
        .init("--version", "show the version, and exit", isNeededByResume: false) { arguments, _ in
            arguments.command = .version
        },
    ]

    private typealias Property<Value> = any WritableKeyPath<Arguments, Value> & Sendable

    private static func on(_ property: Property<Bool>) -> Apply {
        { arguments, _ in arguments[keyPath: property] = true }
    }

    private static func set<Value>(_ property: Property<Value>, _ read: @escaping Reader<Value>) -> Apply {
        { (arguments, value) throws(UsageError) in arguments[keyPath: property] = try read(value) }
    }
}
