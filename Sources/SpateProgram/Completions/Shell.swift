/// A shell that can complete the arguments of the program.
enum Shell: String, CaseIterable {
    case bash, zsh, fish

    /// The completion script.
    var completions: String {
        switch self {
        case .bash: BashCompletions.script
        case .zsh: ZshCompletions.script
        case .fish: FishCompletions.script
        }
    }
}
