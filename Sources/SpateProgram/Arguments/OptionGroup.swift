/// Options of `spate get` that belong together. Each group has a page of the help.
enum OptionGroup: String, CaseIterable {
    case files, lists, checksums, speed, time, requests, output, programs

    var options: [ProgramOption] {
        switch self {
        case .files: ProgramOption.files
        case .lists: ProgramOption.lists
        case .checksums: ProgramOption.checksums
        case .speed: ProgramOption.speed
        case .time: ProgramOption.time
        case .requests: ProgramOption.requests
        case .output: ProgramOption.output
        case .programs: ProgramOption.programs
        }
    }

    /// What the options are about.
    var summary: String {
        switch self {
        case .files: "where files go, their names, and what is replaced"
        case .lists: "lists of URLs, and the lines that fail"
        case .checksums: "checksums, mirrors and Metalinks"
        case .speed: "how many at once, and how fast"
        case .time: "how long, how slow, and how often again"
        case .requests: "headers, logins, certificates and proxies"
        case .output: "what is printed, and where"
        case .programs: "programs of yours, for URLs and at the end"
        }
    }
}
