/// What a help page is about.
enum HelpTopic: Equatable {
    case command(Command)
    /// The options of `get` for which the overview has no room, and the lists of `--input`.
    case options

    init?(_ word: String) {
        if word == "options" {
            self = .options
        } else if let command = Command(rawValue: word) {
            self = .command(command)
        } else {
            return nil
        }
    }
}
