/// An option of the program; its raw value is its long name.
enum ProgramOption: String, CaseIterable {
    case directory, output, input, jobs, retries, timeout, header
    case maximumSize = "max-size"
    case authorities = "cacert"
    case noKeys = "no-keys"
    case overwrite, json, serve, quiet, help, version

    /// As it is written: `--jobs`.
    var longForm: String { "--\(rawValue)" }

    /// Its letter, where it has one: `-j`.
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

    /// What its value is called in the help; `nil` for one that takes none.
    var valueName: String? {
        switch self {
        case .directory: "DIR"
        case .output: "NAME"
        case .input, .authorities: "FILE"
        case .jobs, .retries: "N"
        case .timeout: "SECONDS"
        case .header: "'Name: value'"
        case .maximumSize: "SIZE"
        case .noKeys, .overwrite, .json, .serve, .quiet, .help, .version: nil
        }
    }

    init?(letter: Character) {
        guard let option = Self.allCases.first(where: { $0.letter == letter }) else { return nil }
        self = option
    }

    /// Whether a whole argument is an option's name and nothing else: `--jobs` or `-j`.
    static func isName(_ argument: String) -> Bool {
        allCases.contains { option in
            argument == option.longForm || option.letter.map { argument == "-\($0)" } ?? false
        }
    }
}
