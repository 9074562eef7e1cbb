/// The topic of a help page.
enum HelpTopic: Equatable {
    case command(Command)
    /// The options of `get` about files that the overview leaves out, and the lists of `--input`.
    case files
    /// The other options of `get` that the overview leaves out.
    case options
    /// The options with programs, and what these read and print.
    case programs

    init?(_ word: String) {
        if word == "options" {
            self = .options
        } else if word == "files" {
            self = .files
        } else if word == "programs" {
            self = .programs
        } else if let command = Command(rawValue: word) {
            self = .command(command)
        } else {
            return nil
        }
    }
}
