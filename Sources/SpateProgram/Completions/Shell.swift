/// A shell that can complete the arguments of the program.
enum Shell: String, CaseIterable {
    case bash, zsh, fish

    /// The script that the shell reads.
    var completions: String {
        switch self {
        case .bash: BashCompletions.script
        case .zsh: ZshCompletions.script
        case .fish: FishCompletions.script
        }
    }
}
