import Spate

/// Makes the lines of the live display from the model and the size.
///
/// The last column stays empty, because terminals differ in how they wrap. One row stays free for lines that scroll.
struct LiveLayout {
    let size: ScreenSize
    let hasColours: Bool

    private var width: Int { max(1, size.columns - 1) }

    func lines(_ model: LiveModel) -> [ScreenLine] {
        let height = max(1, size.rows - 1)
        let below = [line(summary(model))] + notices(model).map { line($0) }
        let rows = max(0, height - below.count)
        return (downloads(model, rows: rows) + below).suffix(height)
    }

    // MARK: One line a download

    private func downloads(_ model: LiveModel, rows: Int) -> [ScreenLine] {
        let layout = ColumnLayout.fitting(
            width,
            withConnections: model.entries.contains { $0.progress.connectionCount > 1 }
        )
        let entries = model.lines
        guard entries.count > rows else { return entries.map { line($0, layout, model) } }
        guard rows > 1 else { return [] }
        let shown = visible(entries, model, count: rows - 1)
        let more = entries.count - shown.count
        return shown.map { line($0, layout, model) } + [line("  and \(more) more")]
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

    private func line(_ entry: LiveModel.Entry, _ layout: ColumnLayout, _ model: LiveModel) -> ScreenLine {
        let isSelected = model.hasKeys && entry.number == model.selected
        guard width > ColumnLayout.marker else { return line(entry.name.fitted(to: width)) }
        var text = isSelected ? "> " : "  "
        text += coloured(entry.name.fitted(to: width - layout.fixed), isSelected ? "1" : nil)
        if layout.bar > 0 { text += " " + bar(entry, layout.bar) }
        if layout.percent > 0 { text += " " + right(ShortText.percent(entry.progress), layout.percent) }
        if layout.amount > 0 {
            let whole = ShortText.amount(entry.progress)
            let amount = whole.count > layout.amount ? DownloadFormat.size(entry.progress.receivedBytes) : whole
            text += " " + right(amount, layout.amount)
        }
        if layout.connections > 0 {
            let count = entry.progress.connectionCount
            text += " " + right(count > 1 ? "x\(count)" : "", layout.connections)
        }
        text += last(entry, layout)
        // If they get narrower, some terminals wrap trailing spaces. So write none.
        let spaces = text.utf8.reversed().prefix { $0 == UInt8(ascii: " ") }.count
        return ScreenLine(text: String(text.dropLast(spaces)), columns: width - spaces)
    }

    /// Speed and time, or the reason why there are none.
    private func last(_ entry: LiveModel.Entry, _ layout: ColumnLayout) -> String {
        guard layout.speed > 0 else { return "" }
        let columns = layout.speed + (layout.time > 0 ? layout.time + 1 : 0)
        switch entry.phase {
        case .paused:
            return " " + coloured(right("paused", columns), "33")
        case .queued:
            return " " + right("waiting", columns)
        case .syncing:
            return " " + right("syncing", columns)
        case .retry(let seconds):
            let time = ShortText.time(.seconds(seconds))
            return " " + coloured(right(columns > 14 ? "again in \(time)" : "in \(time)", columns), "33")
        case .running:
            let speed = " " + right(ShortText.speed(entry.progress.bytesPerSecond), layout.speed)
            guard layout.time > 0 else { return speed }
            let time = entry.progress.timeRemaining.map { ShortText.time($0) } ?? ""
            return speed + " " + right(time, layout.time)
        }
    }

    private func bar(_ entry: LiveModel.Entry, _ columns: Int) -> String {
        if entry.phase == .queued, entry.progress.totalBytes == nil { return String(repeating: " ", count: columns) }
        return bar(
            entry.progress.fractionCompleted,
            columns,
            colour: [.running, .syncing].contains(entry.phase) ? "32" : "33"
        )
    }

    private func bar(_ fraction: Double?, _ columns: Int, colour: String?) -> String {
        let inner = columns - 2
        guard let fraction else { return "[" + String(repeating: "?", count: inner) + "]" }
        let full = max(0, min(inner, Int(fraction * Double(inner))))
        let rest = String(repeating: " ", count: inner - full)
        return "[" + coloured(String(repeating: "#", count: full), colour) + rest + "]"
    }

    // MARK: Below the downloads

    private func summary(_ model: LiveModel) -> String {
        var counts = ["\(model.done) done", "\(model.running) running"]
        let retries = model.entries.count - model.running - model.paused
        if model.paused > 0 { counts.append("\(model.paused) paused") }
        let waiting = model.waiting + retries
        counts.append("\(waiting)\(model.listHasMore ? "+" : "") waiting")
        counts.append("\(model.failed) failed")
        let speed = ShortText.speed(model.whole.bytesPerSecond)
        let limit = model.rateLimit.map { "limit \(ShortText.speed(Double($0)))" } ?? ""
        let time = model.timeRemaining.map { "\(model.waiting > 0 ? "~" : "")\(ShortText.time($0)) left" } ?? ""
        let join = { (parts: [String]) in parts.filter { !$0.isEmpty }.joined(separator: ", ") }
        let speedAndTime = join([speed, time])
        let all = join([speed, limit, time])
        let keys = model.hasKeys ? "  (? keys)" : ""
        let short = counts.map { word in
            // "3 done" as "3d" if there is little room.
            word.split(separator: " ").enumerated().map { $0 == 0 ? String($1) : String($1.prefix(1)) }.joined()
        }
        let candidates = [
            join(counts + [bar(model, 20), all]) + keys, join(counts + [bar(model, 10), all]) + keys,
            join(counts + [bar(model, 10), all]), join(counts + [bar(model, 10), speedAndTime]),
            join(counts + [all]), join(counts + [speedAndTime]),
            join([short.joined(separator: " "), speedAndTime]), join([short.joined(separator: " "), speed]),
        ]
        return candidates.first { $0.utf8.count <= width } ?? short.joined(separator: " ")
    }

    /// The bar of all files. A single file has its own.
    private func bar(_ model: LiveModel, _ columns: Int) -> String {
        guard model.fileCount > 1, let fraction = model.fraction else { return "" }
        return bar(fraction, columns, colour: nil)
    }

    private func notices(_ model: LiveModel) -> [String] {
        switch model.notice {
        case .deletion(let number):
            let name = model[number]?.name ?? ScreenText("")
            let (before, after) = ("Delete ", "? (y/n)")
            let room = max(1, width - before.utf8.count - after.utf8.count)
            return [before + name.fitted(to: min(room, name.columns)) + after]
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
        return [
            "j k, arrows  select a download, below them one that waits",
            "space        pause or resume it",
            "x            cancel, keep partial file",
            "d            delete its files",
            "+ -          more or fewer at once (\(model.jobs))",
            "< > =        slower, faster, full speed (\(limit))",
            "P            pause or resume all",
            "q            quit, keep partial files",
            "?            hide this help",
        ]
    }

    // MARK: Texts

    private func line(_ text: String) -> ScreenLine {
        let text = ScreenText(text)
        return text.columns <= width
            ? ScreenLine(text: text.text, columns: text.columns)
            : ScreenLine(text: text.fitted(to: width), columns: width)
    }

    private func right(_ text: String, _ columns: Int) -> String {
        String(repeating: " ", count: max(0, columns - text.utf8.count)) + text
    }

    private func coloured(_ text: String, _ code: String?) -> String {
        guard hasColours, let code, !text.isEmpty else { return text }
        return "\u{1B}[\(code)m\(text)\u{1B}[0m"
    }
}
