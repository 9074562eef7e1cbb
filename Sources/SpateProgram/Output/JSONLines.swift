import Foundation
import Glibc
import Spate
import SpateConsole

/// All events as JSON, one object a line, always with the same keys in the same order. Another display shows the events
/// to people.
final class JSONLines: Display {
    let showsEvents = true
    private(set) var outputError: Int32?
    /// The numbers of the downloads that wait for the disk. Their last progress comes with their end.
    private var waitForDisk: Set<Int> = []
    private let display: any Display
    private let writeOutput: (String) -> Bool
    private let finishOutput: () -> Void

    /// - Parameters:
    ///   - display: the display for people.
    ///   - output: writes a line of JSON. Returns `false` if that failed, with the reason in `errno`.
    ///   - finish: called after the last line.
    init(
        beside display: any Display,
        output: @escaping (String) -> Bool,
        finish: @escaping () -> Void = {}
    ) {
        self.display = display
        (writeOutput, finishOutput) = (output, finish)
    }

    var live: LiveDisplay? { display.live }

    func show(_ event: DownloadEvent, of download: ShownDownload) {
        switch event {
        case .state(let state):
            if case .waiting(.disk) = state {
                waitForDisk.insert(download.number)
            } else {
                waitForDisk.remove(download.number)
            }
            write(JSONLine(state, of: download).text)
        case .progress(let progress):
            var line = JSONLine(event: "progress", url: download.url, state: "running", progress: progress)
            if waitForDisk.contains(download.number) { (line.state, line.waits) = ("waiting", "disk") }
            write(line.text)
        }
        if display.showsRetries { display.show(event, of: download) }
        outputError = outputError ?? display.outputError
    }

    func show(_ change: ConcurrencyChange) {
        write(JSONLine.text(about: change))
        display.show(change)
        outputError = outputError ?? display.outputError
    }

    func say(_ line: String, as tone: Tone) { display.say(line, as: tone) }

    func expect(_ count: Int, after started: Int, listHasMore: Bool) {
        display.expect(count, after: started, listHasMore: listHasMore)
    }

    func finish(_ failures: FailureCounts, cure: String?) {
        finishOutput()
        display.finish(failures, cure: cure)
    }

    var hasSummary: Bool { display.hasSummary }

    private func write(_ line: String) {
        if outputError == nil, !writeOutput(line) { outputError = errno }
    }
}

/// One object of the JSON output. All keys are always present. Unknown values are `null`.
struct JSONLine {
    var event: String
    /// `nil` for a file that Spate did not make, and if the event is not about one download.
    var url: String?
    /// `nil` if the event is not about one download.
    var state: String?
    var received: Int64
    var total: Int64?
    var file: String?
    var error: DownloadError?
    var connections: Int
    var update: DownloadUpdate?
    /// The reason for waiting.
    var waits: String?
    /// The try that it waits for.
    var nextTry: DownloadTry?
    /// What the user may want to know.
    var notes: [String] = []
    var time = Date.now

    init(event: String, url: String?, state: String?, progress: DownloadProgress) {
        self.event = event
        self.url = url
        self.state = state
        received = progress.receivedBytes
        total = progress.totalBytes
        connections = progress.connectionCount
    }

    /// The line about a download's state.
    init(_ state: DownloadState, of download: ShownDownload) {
        self.init(event: "state", url: download.url, state: state.word, progress: download.progress)
        switch state {
        case .finished(let file):
            self.file = file.path
            update = download.update
            notes = download.remarks.filter { $0.matters(after: state) }.map(\.description)
        case .failed(let error): self.error = error
        case .waiting(.slot): waits = "slot"
        case .waiting(.host): waits = "host"
        case .waiting(.retry(_, let error)):
            self.error = error
            (waits, nextTry) = ("retry", error.nextTry)
        case .waiting(.disk): waits = "disk"
        case .running, .paused, .cancelled: break
        }
    }

    /// The object on one line, without the line break.
    ///
    /// Written by hand: `JSONEncoder` can't keep this order of keys and takes a hundred times as long.
    var text: String {
        var text = ""
        func add(_ start: String, _ string: String?) {
            text += start
            JSONText.append(string, to: &text)
        }
        func add(_ start: String, number: Int64?) {
            text += start
            text += number.map { String($0) } ?? "null"
        }
        add("{\"event\":", event)
        add(",\"url\":", url)
        add(",\"state\":", state)
        add(",\"received\":", number: received)
        add(",\"total\":", number: total)
        add(",\"file\":", file)
        add(",\"error\":", (error?.message).map(PlainText.oneLine))
        add(",\"connections\":", number: Int64(connections))
        add(",\"time\":", time.formatted(Self.timeFormat))
        add(",\"code\":", error?.code.rawValue)
        add(",\"status\":", number: (error?.statusCode).map(Int64.init))
        text += ",\"retryable\":\(error.map { "\($0.isRetryable)" } ?? "null")"
        // Scripts rely on "unchanged" and "updated".
        add(",\"update\":", update.map { "\($0)" })
        add(",\"waits\":", waits)
        add(",\"try\":", number: (nextTry?.number).map(Int64.init))
        add(",\"tries\":", number: (nextTry?.limit).map(Int64.init))
        return text + ",\"notes\":[\(notes.map(JSONText.string).joined(separator: ","))]}"
    }

    /// The object of a hook: also how long the download took. `nil` if the file was there before.
    func text(andSeconds time: Duration?) -> String {
        let seconds = time.map { "\(($0 / .milliseconds(1)).rounded() / 1000)" }
        return "\(text.dropLast()),\"seconds\":\(seconds ?? "null")}"
    }

    /// The object of a change of how many may run at once: also both numbers, the reason, and the server if they are one's.
    static func text(about change: ConcurrencyChange) -> String {
        var line = JSONLine(event: "concurrency", url: nil, state: nil, progress: DownloadProgress())
        line.notes = [change.words]
        let numbers = "\"limit\":\(change.limit),\"former\":\(change.former)"
        let reason = "\"reason\":\"\(change.reason.rawValue)\",\"host\":\(JSONText.string(change.host))"
        return "\(line.text.dropLast()),\(numbers),\(reason)}"
    }

    /// ISO 8601 with milliseconds, in UTC: `2026-03-01T09:30:00.125Z`.
    private static let timeFormat = Date.ISO8601FormatStyle(includingFractionalSeconds: true)
}

/// JSON, written by hand.
enum JSONText {
    static func string(_ string: String?) -> String {
        var text = ""
        append(string, to: &text)
        return text
    }

    static func append(_ string: String?, to text: inout String) {
        guard let string else { return text += "null" }
        text += "\""
        defer { text += "\"" }
        // Most need no change. 0xE2 begins the line ends of Unicode.
        let isPlain = !string.hasByte { $0 < 0x20 || $0 == 0x22 || $0 == 0x5C || $0 == 0x7F || $0 == 0xE2 }
        if isPlain { return text += string }
        for scalar in string.unicodeScalars {
            switch scalar {
            case "\"": text += "\\\""
            case "\\": text += "\\\\"
            case "\n": text += "\\n"
            case "\r": text += "\\r"
            case "\t": text += "\\t"
            case "\u{0}"..."\u{1F}", "\u{7F}", "\u{2028}", "\u{2029}":
                let digits = String(scalar.value, radix: 16)
                text += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
            default: text.unicodeScalars.append(scalar)
            }
        }
    }
}
