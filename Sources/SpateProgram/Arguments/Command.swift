/// A command of the program.
enum Command: String, CaseIterable {
    case get, status, resume, delete, demo, help, version

    /// The options that the command accepts. `--help` and `--version` are read before they are checked.
    var options: Set<ProgramOption> {
        switch self {
        case .get: Set(ProgramOption.allCases).subtracting([.serve])
        case .resume: Set(ProgramOption.allCases).subtracting([.output, .input, .checksum, .serve])
        case .status: [.directory, .json, .quiet]
        case .delete: [.directory, .input, .quiet]
        case .demo: [.serve]
        case .help, .version: Set(ProgramOption.allCases)
        }
    }
}

/// An option of the program. The raw value is its long name.
enum ProgramOption: String, CaseIterable {
    case directory, output, input, jobs, retries, timeout, header
    case maximumSize = "max-size"
    case checksum
    case checksumLists = "checksums"
    case authorities = "cacert"
    case noKeys = "no-keys"
    case overwrite, json, serve, quiet, help, version

    /// The option as it is typed: `--jobs`.
    var longForm: String { "--\(rawValue)" }

    /// The letter of the short form, if there is one: `j` for `-j`.
    var letter: Character? {
        switch self {
        case .directory: "d"
        case .output: "o"
        case .input: "i"
        case .jobs: "j"
        case .quiet: "q"
        case .help: "h"
        default: nil
        }
    }

    /// The name of its value in the help. `nil` if the option takes no value.
    var valueName: String? {
        switch self {
        case .directory: "DIR"
        case .output: "NAME"
        case .input, .checksumLists, .authorities: "FILE"
        case .jobs, .retries: "N"
        case .timeout: "SECONDS"
        case .header: "'Name: value'"
        case .maximumSize: "SIZE"
        case .checksum: "ALG:HEX"
        case .noKeys, .overwrite, .json, .serve, .quiet, .help, .version: nil
        }
    }

    init?(letter: Character) {
        guard let option = Self.allCases.first(where: { $0.letter == letter }) else { return nil }
        self = option
    }

    /// Whether an argument is exactly the name of an option: `--jobs` or `-j`.
    static func isName(_ argument: String) -> Bool {
        allCases.contains { option in
            argument == option.longForm || option.letter.map { argument == "-\($0)" } ?? false
        }
    }
}
