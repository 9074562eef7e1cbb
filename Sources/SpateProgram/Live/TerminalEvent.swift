/// What happens to the terminal, or to the program's hold of it.
enum TerminalEvent: Sendable {
    case resized
    /// The program is about to be stopped, and the terminal is another's.
    case suspended
    case continued
}
