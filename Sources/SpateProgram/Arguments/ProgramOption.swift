/// An option of the program. The raw value is its long name.
///
/// The parser, the help, the completions and the manual page share this table.
enum ProgramOption: String, CaseIterable {
    case directory, output, input, shard, jobs, connections
    case maximumPerHost = "max-per-host"
    case rateLimit = "limit-rate"
    case retries, timeout, header, netrc
    case netrcFile = "netrc-file"
    case cookies
    case maximumSize = "max-size"
    case checksum
    case checksumLists = "checksums"
    case mirror
    case authorities = "cacert"
    case overwrite, update
    case skipExisting = "skip-existing"
    case remoteTime = "remote-time"
    case json, progress, log
    case noKeys = "no-keys"
    case serve, quiet, help, version

    /// What an option takes.
    enum Value {
        case folder, file
        /// Anything else, with its name in the help.
        case text(String)

        var name: String {
            switch self {
            case .folder: "DIR"
            case .file: "FILE"
            case .text(let name): name
            }
        }
    }

    /// The option as it is typed: `--jobs`.
    var longForm: String { "--\(rawValue)" }

    /// The letter of the short form, if there is one: `j` for `-j`.
    var letter: Character? {
        switch self {
        case .directory: "d"
        case .output: "o"
        case .input: "i"
        case .jobs: "j"
        case .connections: "x"
        case .remoteTime: "R"
        case .quiet: "q"
        case .help: "h"
        default: nil
        }
    }

    /// `-j` and `--jobs`.
    var forms: [String] { (letter.map { ["-\($0)"] } ?? []) + [longForm] }

    /// `nil` if the option takes no value.
    var value: Value? {
        switch self {
        case .directory: .folder
        case .output: .text("NAME")
        case .input, .netrcFile, .cookies, .checksumLists, .authorities, .log: .file
        case .jobs, .connections, .maximumPerHost, .retries: .text("N")
        case .rateLimit: .text("RATE")
        case .timeout: .text("SECONDS")
        case .header: .text("'Name: value'")
        case .maximumSize: .text("SIZE")
        case .checksum: .text("ALG:HEX")
        case .mirror: .text("URL")
        case .progress: .text("MODE")
        case .shard: .text("K/N")
        case .netrc, .noKeys, .overwrite, .update, .skipExisting, .remoteTime, .json, .serve, .quiet, .help, .version:
            nil
        }
    }

    /// Whether each use adds to the earlier ones. Of all others the last one counts.
    var isRepeatable: Bool { [.input, .header, .checksumLists, .mirror].contains(self) }

    /// What the option does, in a line.
    var summary: String {
        switch self {
        case .directory: "where files go (the current folder)"
        case .output: "the file's name (one URL only)"
        case .shard: "only part K of N of the lists (for N machines)"
        case .input: "URLs from FILE, one a line, # comments; - is stdin"
        case .jobs: "downloads at once (3)"
        case .connections: "connections a file (auto: up to 4 if they help)"
        case .maximumPerHost: "connections to one host (no limit)"
        case .rateLimit: "all downloads together, per second: 500K, 2M"
        case .retries: "retries without progress before giving up (5)"
        case .timeout: "end an attempt after this long without data (30)"
        case .header: "send this header, or those in @FILE; repeatable"
        case .netrc: "logins from ~/.netrc"
        case .netrcFile: "logins from FILE, read as curl reads it"
        case .cookies: "send the cookies of a Netscape cookie file"
        case .maximumSize: "refuse larger files: bytes, or 500M, 2GB"
        case .checksum: "check the only file"
        case .checksumLists: "check files by a list, as from sha256sum"
        case .mirror: "another place of the only file; repeatable"
        case .authorities: "trust these certificates, not the system's"
        case .overwrite: "replace a file that is already there"
        case .update: "fetch finished files again if they have changed"
        case .skipExisting: "accept any existing file with that name"
        case .remoteTime: "files get the server's time (Last-Modified)"
        case .json: "one JSON object a line for each event, on stdout"
        case .progress: "auto, bar, plain (a line a file, for logs) or none"
        case .log: "append every event, as with --json, to FILE"
        case .noKeys: "do not read keys (on a terminal, ? shows them)"
        case .serve: "only serve the files, to try programs on"
        case .quiet: "print only errors"
        case .help: "show the help about a command, and exit"
        case .version: "show the version, and exit"
        }
    }

    /// What the option does for a command.
    func summary(for command: Command) -> String {
        switch (self, command) {
        case (.directory, .status), (.directory, .resume), (.directory, .delete): "the folder (the current one)"
        case (.json, .status): "an object a line: url, state, received, total..."
        case (.quiet, .status): "print nothing if there are no files"
        default: summary
        }
    }

    init?(letter: Character) {
        guard let option = Self.allCases.first(where: { $0.letter == letter }) else { return nil }
        self = option
    }

    /// Whether an argument is exactly the name of an option: `--jobs` or `-j`.
    static func isName(_ argument: String) -> Bool {
        allCases.contains { $0.forms.contains(argument) }
    }
}
