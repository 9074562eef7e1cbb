/// How progress is shown on standard error.
enum ProgressMode: String, CaseIterable {
    /// A live display or lines, if it is a terminal.
    case automatic = "auto"
    /// The live display.
    case bar
    /// A line for each finished file, each retry, and the end. Works without a terminal, too.
    case plain
    case none
}
