import SpateConsole

/// Rows as lines, with columns of one width for all.
struct StatusColumns {
    private var state = 0
    private var amount = 0
    private var name = 0
    /// The URL and the reason.
    private var rest = 0

    /// Makes room for a row.
    mutating func fit(_ row: StatusRow) {
        fit(row, name: row.name.count)
    }

    /// Makes room for a row in the cells of a terminal.
    mutating func fitOnTerminal(_ row: StatusRow) {
        fit(row, name: ScreenText(row.name).columns)
        rest = max(rest, ScreenText(row.brief).columns)
    }

    private mutating func fit(_ row: StatusRow, name: Int) {
        state = max(state, row.state.rawValue.count)
        amount = max(amount, row.amount.count)
        self.name = max(self.name, name)
    }

    /// The whole row, for programs.
    func line(_ row: StatusRow) -> String {
        let columns = [
            Self.padded(row.state.rawValue, to: state), Self.padded(row.amount, to: amount),
            Self.padded(row.name, to: name), row.whole,
        ]
        return columns.joined(separator: "  ")
    }

    /// The row in at most `width` columns. The name and the rest are cut in the middle. If there is no room for all, the
    /// name stays: without the rest, or even without the amount.
    func line(_ row: StatusRow, in width: Int) -> String {
        var start = Self.padded(row.state.rawValue, to: state) + "  "
        if width - start.count - amount - 2 >= min(name, Self.leastName) {
            start += Self.padded(row.amount, to: amount) + "  "
        }
        let room = width - start.count
        let nameRoom = min(name, max(Self.leastName, room - 2 - rest, room * 2 / 5))
        let restRoom = room - nameRoom - 2
        let end =
            restRoom >= min(rest, Self.leastRest)
            ? ScreenText(row.name).fitted(to: nameRoom) + "  " + Self.brief(row, in: restRoom)
            : ScreenText(row.name).fitted(to: room)
        return (start + end)[...].trimmingSpaces
    }

    /// Less says nothing.
    private static let leastName = 12
    private static let leastRest = 20

    /// The reason whole, and the URL only if much of it has room.
    private static func brief(_ row: StatusRow, in room: Int) -> String {
        let whole = ScreenText(row.brief)
        guard whole.columns > room, let kind = row.error?.kind else { return whole.fitted(to: room) }
        let urlRoom = room - kind.count - 2
        guard urlRoom >= leastRest else { return ScreenText(kind).fitted(to: room) }
        return "\(kind): \(ScreenText(row.url).fitted(to: urlRoom))"
    }

    private static func padded(_ text: String, to width: Int) -> String {
        text + String(repeating: " ", count: max(0, width - text.count))
    }
}
