import Foundation
import Spate

/// One line for each running download and a summary, redrawn in place. Ended downloads scroll up above them.
final class LiveDisplay: Display, LiveView {
    let showsEvents = true
    var live: (any LiveView)? { self }
    var jobs: Int {
        get { model.jobs }
        set { model.jobs = newValue }
    }

    var rateLimit: Int64? {
        get { model.rateLimit }
        set { model.rateLimit = newValue }
    }

    var whole: DownloadManagerProgress {
        get { model.whole }
        set { model.whole = newValue }
    }

    private let terminal: LiveTerminal
    private let hasColours: Bool
    private let now: () -> ContinuousClock.Instant
    private var model = LiveModel()
    private var screen: LiveScreen
    private var size: ScreenSize
    /// Set by SIGWINCH. Redraw even if the size has changed and changed back.
    private var wasResized = false
    private var parser = KeyParser()
    private var lastInput: ContinuousClock.Instant
    private var inputEnded = false
    private var isOver = false
    private var tracked: [Int: Tracked] = [:]
    private let start: ContinuousClock.Instant
    private var summary = RunSummary()
    /// Lines that scroll up with the next drawing.
    private var above: [String] = []

    private struct Tracked {
        var download: Download?
        var start: ContinuousClock.Instant
        var retry: Date?
    }

    init(terminal: LiveTerminal, hasColours: Bool, now: @escaping () -> ContinuousClock.Instant = { .now }) {
        self.terminal = terminal
        self.hasColours = hasColours
        self.now = now
        size = terminal.size
        screen = LiveScreen(width: size.columns)
        model.hasKeys = terminal.input != nil
        lastInput = now()
        start = lastInput
    }

    // MARK: Events

    func show(_ event: DownloadEvent, of download: ShownDownload) {
        switch event {
        // Drawing reads the progress.
        case .progress: break
        case .state(let state): show(state, of: download)
        }
    }

    private func show(_ state: DownloadState, of download: ShownDownload) {
        let number = download.number
        switch state {
        case .waiting(.slot):
            model[number] = entry(of: download, .queued)
            tracked[number]?.download = nil
        case .waiting(.retry(let date, let error)):
            track(download, .retry(seconds: 0), retry: date)
            above.append("\(download.name): \(error.inBrief); trying again")
        case .running: track(download, .running)
        // It ends soon.
        case .waiting(.disk): track(download, .syncing)
        case .paused: track(download, .paused)
        case .finished(let file):
            let name = PlainText.oneLine(file.lastPathComponent)
            let size = DownloadFormat.size(download.progress.receivedBytes)
            let time = tracked[number].map { " in \(DownloadFormat.elapsed(now() - $0.start))" }
            summary.noteFinished(download, wasFetched: time != nil)
            switch download.update {
            case .unchanged: above.append("\(name): \(size), unchanged")
            case .updated: above.append("\(name): \(size)\(time ?? ""), updated")
            case nil: above.append("\(name): \(size)\(time ?? ", already here")")
            }
            model.done += 1
            model.endedBytes += download.progress.receivedBytes
            forget(number)
        case .failed:
            model.failed += 1
            forget(number)
        case .cancelled:
            summary.cancelled += 1
            forget(number)
        }
    }

    private func track(_ download: ShownDownload, _ phase: LiveModel.Phase, retry: Date? = nil) {
        let number = download.number
        tracked[number, default: Tracked(start: now())].retry = retry
        tracked[number]?.download = download.download
        model[number] = entry(of: download, phase)
    }

    private func entry(of download: ShownDownload, _ phase: LiveModel.Phase) -> LiveModel.Entry {
        let name = model[download.number]?.name ?? ScreenText(download.name)
        return LiveModel.Entry(number: download.number, name: name, phase: phase, progress: download.progress)
    }

    private func forget(_ number: Int) {
        model[number] = nil
        tracked[number] = nil
    }

    func expect(_ count: Int, listHasMore: Bool) {
        model.notStarted = count
        model.listHasMore = listHasMore
    }

    func say(_ line: String) {
        above.append(line)
        if isOver { flush() }
    }

    let hasSummary = true

    /// A single file needs no summary.
    func finish(_ failures: FailureCounts) {
        if summary.count + failures.count > 1 { say(summary.text(after: now() - start, failures)) }
    }

    // MARK: Drawing

    func tick() {
        // After a stop, wait for its event: other programs may have written to the screen.
        guard !isOver, !TerminalSignals.isContinuing else { return }
        if let key = now() - lastInput > .milliseconds(500) ? parser.flush() : nil { _ = LiveKeys.press(key, &model) }
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
        let layout = LiveLayout(size: size, hasColours: hasColours)
        text += screen.update(layout.lines(model), above: above)
        above = []
        terminal.write(text)
    }

    /// Writes the pending lines without live lines.
    private func flush() {
        terminal.write(above.map { $0 + "\n" }.joined())
        above = []
    }

    // MARK: The terminal

    func handle(_ event: TerminalEvent) {
        guard !isOver else { return }
        switch event {
        case .resized:
            wasResized = true
            tick()
        case .suspended: releaseTerminal()
        case .continued:
            // After SIGSTOP the old lines are still there. Leave them above.
            if terminal.isHeld { screen.forget() }
            terminal.wasTaken()
            tick()
        }
    }

    func end() {
        guard !isOver else { return }
        releaseTerminal()
        isOver = true
    }

    private func releaseTerminal() {
        if terminal.isHeld, terminal.isForeground {
            terminal.write(screen.erase() + above.map { $0 + "\r\n" }.joined())
            above = []
        } else {
            screen.forget()
            flush()
        }
        terminal.release()
    }

    // MARK: Keys

    var input: Int32? { terminal.input }

    var wantsInput: Bool { terminal.input != nil && terminal.isHeld && !inputEnded && !isOver && terminal.isForeground }

    func readCommands() -> [RunCommand] {
        guard let bytes = terminal.read() else {
            inputEnded = true
            return []
        }
        guard !bytes.isEmpty else { return [] }
        lastInput = now()
        let commands = parser.feed(bytes).compactMap { LiveKeys.press($0, &model) }
        draw()
        return commands
    }
}
