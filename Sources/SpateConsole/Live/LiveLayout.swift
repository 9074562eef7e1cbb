import Spate

/// Makes the lines of the live display from the model and the size: a line for each download, one about all in the same
/// columns, and one with counts and settings.
///
/// The last column stays empty, because terminals differ in how they wrap. One row stays free for lines that scroll.
struct LiveLayout {
    let size: ScreenSize
    let style: DrawingStyle
    private let columns: ColumnLayout

    init(size: ScreenSize, style: DrawingStyle) {
        (self.size, self.style) = (size, style)
        columns = .fitting(max(1, size.columns - 1))
    }

    private var width: Int { max(1, size.columns - 1) }

    func lines(_ model: LiveModel) -> [ScreenLine] {
        let height = max(1, size.rows - 1)
        let total = model.hasTotal ? [line(model.total, model)] : []
        let counts = CountLine(model).text(in: width, style).map { [$0] } ?? []
        let notices = notices(model).map { line($0) }
        // In a low terminal a download and the line about all matter more than counts.
        let hasRoom = total.isEmpty || height - total.count - counts.count - notices.count >= 2
        let below = total + (hasRoom ? counts : []) + notices
        let rows = max(0, height - below.count)
        return (downloads(model, rows: rows) + below).suffix(height)
    }

    // MARK: One line a download

    private func downloads(_ model: LiveModel, rows: Int) -> [ScreenLine] {
        let entries = model.lines
        if entries.count <= rows { return lines(of: entries, model) }
        guard rows > 1 else { return [] }
        let shown = visible(entries, model, count: rows - 1)
        return lines(of: shown, model) + [line("  and \(entries.count - shown.count) more")]
    }

    private func lines(of entries: [LiveModel.Entry], _ model: LiveModel) -> [ScreenLine] {
        let names = RowNames(entries, width: columns.name, style)
        return entries.map { line($0, names[$0], model) }
    }

    /// The entries that fit: around the selected one, or else the running ones first.
    private func visible(_ entries: [LiveModel.Entry], _ model: LiveModel, count: Int) -> [LiveModel.Entry] {
        if let selected = model.selected, let index = entries.firstIndex(where: { $0.number == selected }) {
            let start = max(0, min(index - count / 2, entries.count - count))
            return Array(entries[start..<start + count])
        }
        let running = entries.lazy.filter { $0.phase == .running }.prefix(count)
        let rest = entries.lazy.filter { $0.phase != .running }.prefix(count - running.count)
        return (Array(running) + Array(rest)).sorted { $0.number < $1.number }
    }

    private func line(_ entry: LiveModel.Entry, _ name: String, _ model: LiveModel) -> ScreenLine {
        let isSelected = model.hasKeys && entry.number == model.selected
        let progress = entry.progress
        var row = Row()
        row.mark = isSelected ? "> " : "  "
        row.name = style.paint(name, isSelected ? .selected : nil)
        row.bar = bar(of: entry, step: model.step)
        row.paint = [.running, .syncing].contains(entry.phase) ? .done : .waiting
        row.percent = ShortText.percent(progress.fractionCompleted)
        row.amount = ShortText.amount(progress.receivedBytes, of: progress.totalBytes)
        row.connections = progress.connectionCount > 1 ? "x\(progress.connectionCount)" : ""
        switch entry.phase {
        case .running:
            row.speed = ShortText.speed(progress.bytesPerSecond)
            row.time = progress.timeRemaining.map { ShortText.time($0) } ?? ""
        case .paused: row.reason = "paused"
        case .queued: row.reason = "waiting"
        case .syncing: row.reason = "syncing"
        case .retry(let seconds): row.reason = retry(in: seconds)
        }
        return line(row)
    }

    private func retry(in seconds: Int) -> String {
        let time = ShortText.time(.seconds(seconds))
        return columns.time > 0 ? "again in \(time)" : "in \(time)"
    }

    private func bar(of entry: LiveModel.Entry, step: Int) -> ProgressBar.Content {
        if let fraction = entry.progress.fractionCompleted { return .part(fraction) }
        return entry.phase == .running ? .moving(step) : .empty
    }

    // MARK: The line about all

    private func line(_ total: LiveTotal, _ model: LiveModel) -> ScreenLine {
        var row = Row()
        let count = "\(model.done) of \(model.fileCount)\(model.listHasMore ? "+" : "")"
        let files = "\(count) \(model.fileCount == 1 && !model.listHasMore ? "file" : "files")"
        let name = ScreenText(files.count <= columns.name ? files : count)
        row.name = style.paint(name.fitted(to: columns.name), .selected)
        row.bar = total.fraction.map { .part($0) } ?? .empty
        row.paint = .done
        row.percent = ShortText.percent(total.fraction)
        row.amount = ShortText.amount(total.receivedBytes, of: total.totalBytes, isEstimate: total.isEstimate)
        row.speed = ShortText.speed(model.whole.bytesPerSecond)
        row.time = total.timeRemaining.map { (total.isEstimate ? "~" : "") + ShortText.time($0) } ?? ""
        return line(row)
    }

    /// The texts of a line, by column.
    private struct Row {
        var mark = "  "
        /// In the width of its column.
        var name = ""
        var bar = ProgressBar.Content.empty
        var paint = Paint.done
        var percent = ""
        var amount = ""
        var connections = ""
        var speed = ""
        var time = ""
        /// Stands instead of speed and time.
        var reason: String?
    }

    private func line(_ row: Row) -> ScreenLine {
        guard width > ColumnLayout.marker else { return ScreenLine(text: "", columns: 0) }
        var text = row.mark + row.name
        var end = ColumnLayout.marker + columns.name
        let add = { (part: String, columns: Int, isRight: Bool) in
            guard columns > 0 else { return }
            text += isRight ? " " + right(part, columns) : " " + part
            end += columns + 1
        }
        if columns.bar > 0 {
            add(ProgressBar(content: row.bar, columns: columns.bar).text(style, row.paint), columns.bar, false)
        }
        add(row.percent, columns.percent, true)
        add(row.amount, columns.amount, true)
        add(row.connections, columns.connections, true)
        if let reason = row.reason {
            let room = columns.speed + (columns.time > 0 ? columns.time + 1 : 0)
            add(style.paint(right(reason, room), .waiting), room, false)
        } else {
            add(row.speed, columns.speed, true)
            add(row.time, columns.time, true)
        }
        // If they get narrower, some terminals wrap trailing spaces. So write none.
        let spaces = text.utf8.reversed().prefix { $0 == UInt8(ascii: " ") }.count
        return ScreenLine(text: String(text.dropLast(spaces)), columns: end - spaces)
    }

    // MARK: Below

    private func notices(_ model: LiveModel) -> [String] {
        switch model.notice {
        case .deletion(let number):
            let name = model[number]?.name ?? ScreenText("")
            let (before, after) = ("Delete ", "? (y/n)")
            let room = max(1, width - before.utf8.count - after.utf8.count)
            return [before + name.fitted(to: min(room, name.columns), ellipsis: style.ellipsis) + after]
        case .help: return Self.help(model)
        case nil: break
        }
        guard model.isAllPaused else { return [] }
        guard model.hasKeys else { return ["All remaining downloads are paused."] }
        return width < 60
            ? ["Paused: space or P resumes, q quits."]
            : ["All paused: space resumes one, P resumes all, q quits."]
    }

    private static func help(_ model: LiveModel) -> [String] {
        let limit = model.rateLimit.map { ShortText.speed(Double($0)) } ?? "no limit"
        let keys = KeyHelp.all.map { row in
            let padded = row.keys + String(repeating: " ", count: max(1, 13 - row.keys.count)) + row.meaning
            return switch row.setting {
            case .jobs: padded + " (\(model.jobs)\(model.findsJobs ? ", automatic" : ""))"
            case .rateLimit: padded + " (\(limit))"
            case nil: padded
            }
        }
        return keys + ["In a line, x4 is 4 connections for one file; ~ is an estimate."]
    }

    // MARK: Texts

    private func line(_ text: String) -> ScreenLine {
        let text = ScreenText(text)
        return text.columns <= width
            ? ScreenLine(text: text.text, columns: text.columns)
            : ScreenLine(text: text.fitted(to: width, ellipsis: style.ellipsis), columns: width)
    }

    private func right(_ text: String, _ columns: Int) -> String {
        let text = text.count > columns ? String(text.suffix(columns)) : text
        return String(repeating: " ", count: columns - text.count) + text
    }
}
