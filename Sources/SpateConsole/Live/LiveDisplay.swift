import Foundation
package import Spate

/// One line for each running download and a summary, redrawn in place. Ended downloads scroll up above them. It owns the
/// terminal during the run.
package final class LiveDisplay: Display {
    package let showsEvents = true
    package var live: LiveDisplay? { self }

    private let terminal: LiveTerminal
    private let style: DrawingStyle
    private let listsAll: Bool
    private var model = LiveModel()
    private var screen: LiveScreen
    private var size: ScreenSize
    /// Set by SIGWINCH. Redraw even if the size has changed and changed back.
    private var wasResized = false
    private var parser = KeyParser()
    private var lastInput = ContinuousClock.now
    private var inputEnded = false
    private var isOver = false
    /// Between the signal that stops the program and the one that continues it. A line that is drawn then would stay.
    private var isSuspended = false
    private var tracked: [Int: Tracked] = [:]
    private let start = ContinuousClock.now
    private var summary = RunSummary()
    private var retries = RetryLines()
    /// Lines that scroll up with the next drawing.
    private var above: [Line] = []

    /// A line that stays. In the background, other programs' output is beside it, and it has no colours.
    private struct Line {
        let plain: String
        let painted: String
    }

    private struct Tracked {
        var download: Download?
        var begin: FinishedFile.Begin
        var retry: Date?
    }

    /// The most files with a line at their end. Of more, lines would scroll away what matters, so they are counted.
    static let mostListed = 100

    init(terminal: LiveTerminal, _ style: DrawingStyle, listsAll: Bool = false) {
        self.terminal = terminal
        (self.style, self.listsAll) = (style, listsAll)
        size = terminal.size
        screen = LiveScreen(width: size.columns)
        model.hasKeys = terminal.input != nil
    }

    /// Shows the settings.
    ///
    /// - Parameters:
    ///   - jobs: the number of slots.
    ///   - findsJobs: whether that is found automatically.
    ///   - rateLimit: of all downloads together, in bytes per second; `nil` for none.
    package func show(jobs: Int, findsJobs: Bool = false, rateLimit: Int64? = nil) {
        (model.jobs, model.findsJobs, model.rateLimit) = (jobs, findsJobs, rateLimit)
    }

    // MARK: Events

    package func show(_ event: DownloadEvent, of download: ShownDownload) {
        switch event {
        // Drawing reads the progress.
        case .progress(let progress): tracked[download.number]?.begin.note(progress)
        case .state(let state): show(state, of: download)
        }
    }

    private func show(_ state: DownloadState, of download: ShownDownload) {
        let number = download.number
        switch state {
        case .waiting(.slot), .waiting(.host):
            model[number] = entry(of: download, .queued)
            tracked[number]?.download = nil
        case .waiting(.retry(let date, let error)):
            track(download, .retry(seconds: 0), retry: date)
            if let line = retries.line(about: error, at: date, of: download, now: .now) { add(line) }
        case .running: track(download, .running)
        // It ends soon.
        case .waiting(.disk): track(download, .syncing)
        case .paused: track(download, .paused)
        case .finished(let file):
            let finished = FinishedFile(file, of: download, since: tracked[number]?.begin, now: .now)
            summary.note(finished)
            if listsFiles { add(finished.text(), painted: finished.text { style.paint($0, .done) }) }
            model.done += 1
            model.endedBytes += download.progress.receivedBytes
            forget(number)
        case .failed:
            model.failed += 1
            forget(number)
        case .cancelled:
            summary.cancelled += 1
            model.cancelled += 1
            forget(number)
        }
    }

    private var listsFiles: Bool { listsAll || model.fileCount <= Self.mostListed }

    private func track(_ download: ShownDownload, _ phase: LiveModel.Phase, retry: Date? = nil) {
        let number = download.number
        tracked[number, default: Tracked(begin: FinishedFile.Begin(download, at: .now))].retry = retry
        tracked[number]?.download = download.download
        model[number] = entry(of: download, phase)
    }

    private func entry(of download: ShownDownload, _ phase: LiveModel.Phase) -> LiveModel.Entry {
        let name = model[download.number]?.name ?? ScreenText(download.name)
        return LiveModel.Entry(
            number: download.number,
            name: name,
            url: download.url,
            phase: phase,
            progress: download.progress
        )
    }

    private func forget(_ number: Int) {
        model[number] = nil
        tracked[number] = nil
    }

    package func expect(_ count: Int, after started: Int, listHasMore: Bool) {
        (model.started, model.notStarted) = (started, count)
        model.listHasMore = listHasMore
    }

    package func say(_ line: String, as tone: Tone) {
        add(line, painted: tone == .failure ? style.paint(line, .failed) : line)
        if isOver { flush() }
    }

    private func add(_ line: String, painted: String? = nil) {
        above.append(Line(plain: line, painted: painted ?? line))
    }

    package let hasSummary = true

    /// A single file needs no summary.
    package func finish(_ failures: FailureCounts, cure: String?) {
        if let rest = retries.rest { say(rest) }
        if summary.count + failures.count > 1 { say(summary.text(after: .now - start, failures, cure: cure)) }
    }

    // MARK: Drawing

    /// Draws the changes. Call it ten times a second from the start.
    ///
    /// - Parameter whole: the progress of all downloads together, if there is news.
    package func tick(_ whole: DownloadManagerProgress? = nil) {
        if let whole { model.whole = whole }
        // After a stop, wait for its event: other programs may have written to the screen.
        guard !isOver, !isSuspended, !TerminalSignals.isContinuing else { return }
        model.step += 1
        if let key = .now - lastInput > .milliseconds(500) ? parser.flush() : nil { _ = LiveKeys.press(key, &model) }
        guard terminal.isForeground else { return flush() }
        terminal.hold()
        refresh()
        draw()
    }

    private func refresh() {
        let date = Date()
        for entry in model.entries where entry.phase != .paused {
            guard let tracked = tracked[entry.number] else { continue }
            var entry = entry
            if let retry = tracked.retry {
                let seconds = max(0, min(retry.timeIntervalSince(date), 1e9)).rounded(.up)
                entry.phase = .retry(seconds: Int(seconds))
            } else if let download = tracked.download {
                entry.progress = download.progress
            }
            model[entry.number] = entry
        }
    }

    private func draw() {
        var text = ""
        // Read each time: SIGWINCH may come late, or be blocked by the parent process.
        let size = terminal.size
        if size != self.size || wasResized {
            self.size = size
            wasResized = false
            text = screen.resize(to: size.columns)
        }
        let layout = LiveLayout(size: size, style: style)
        text += screen.update(layout.lines(model), above: above.map(\.painted))
        above = []
        terminal.write(text)
    }

    /// Writes the pending lines without live lines.
    private func flush() {
        terminal.write(above.map { (terminal.isForeground ? $0.painted : $0.plain) + "\n" }.joined())
        above = []
    }

    // MARK: The terminal

    package func handle(_ event: TerminalEvent) {
        guard !isOver else { return }
        switch event {
        case .resized:
            wasResized = true
            tick()
        case .suspended:
            isSuspended = true
            releaseTerminal()
        case .continued:
            isSuspended = false
            // After SIGSTOP the old lines are still there. Leave them above.
            if terminal.isHeld { screen.forget() }
            terminal.wasTaken()
            tick()
        }
    }

    /// Restores the terminal. Later lines are written at once.
    package func end() {
        guard !isOver else { return }
        releaseTerminal()
        isOver = true
    }

    private func releaseTerminal() {
        if terminal.isHeld, terminal.isForeground {
            terminal.write(screen.erase() + above.map { $0.painted + "\r\n" }.joined())
            above = []
        } else {
            screen.forget()
            flush()
        }
        terminal.release()
    }

    // MARK: Keys

    /// The file descriptor to read keys from; `nil` to read none.
    package var input: Int32? { terminal.input }

    /// Whether to read keys now.
    package var wantsInput: Bool {
        terminal.input != nil && terminal.isHeld && !inputEnded && !isOver && terminal.isForeground
    }

    /// Reads the keys since the last call, and returns their commands.
    package func readCommands() -> [RunCommand] {
        guard let bytes = terminal.read() else {
            inputEnded = true
            return []
        }
        guard !bytes.isEmpty else { return [] }
        lastInput = .now
        let commands = parser.feed(bytes).compactMap { LiveKeys.press($0, &model) }
        draw()
        return commands
    }
}
