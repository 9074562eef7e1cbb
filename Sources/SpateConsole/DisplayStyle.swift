/// How downloads are shown to a person, on standard error.
package enum DisplayStyle {
    /// Lines that are redrawn in place. Only for a terminal that can do that: see ``LiveTerminal/canBeDrawnOn``.
    case live(readsKeys: Bool)
    /// Plain lines, for a terminal: also about the progress of downloads.
    case lines
    /// Plain lines, for a log: about ends and retries, with a summary at the end.
    case log
    /// Failures, notes, and retries.
    case retries
    /// Only failures and notes.
    case none

    /// A new display of this style.
    ///
    /// - Parameter listsAll: whether each finished file has a line, however many there are. In a log each has.
    package func display(listsAll: Bool = false) -> any Display {
        let error = { (line: String) in _ = StandardStream.error.writeLine(line) }
        return switch self {
        case .live(let readsKeys):
            LiveDisplay(terminal: LiveTerminal(readsKeys: readsKeys), LiveTerminal.style, listsAll: listsAll)
        case .lines: ProgressLines(listsAll: listsAll, write: error)
        case .log: ProgressLines(.log, write: error)
        case .retries: QuietDisplay(showsRetries: true, write: error)
        case .none: QuietDisplay(write: error)
        }
    }
}
