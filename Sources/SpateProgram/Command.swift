/// What the program is asked to do.
enum Command: String, CaseIterable {
    case get, status, resume, delete, demo, help, version

    /// The options that it takes; `--help` and `--version` go with all of them.
    var options: Set<ProgramOption> {
        switch self {
        case .get: Set(ProgramOption.allCases).subtracting([.serve])
        case .resume: Set(ProgramOption.allCases).subtracting([.output, .input, .serve])
        case .status: [.directory, .json, .quiet]
        case .delete: [.directory, .input, .quiet]
        case .demo: [.serve]
        case .help, .version: Set(ProgramOption.allCases)
        }
    }
}
