import Dispatch
import Foundation
import Glibc
import Spate
import SpateConsole
import SpateFilePaths

/// Verifies the files of a folder, and prints a line for each as its result comes.
actor VerifyRun: QueueActor {
    struct Outcome {
        /// Whether there is a finished file.
        var hasFinishedFiles = false
        /// Whether a file is bad and is not repaired.
        var isBad = false
        /// The requests that repair damaged files, if that is wanted.
        var repairs: [DownloadRequest] = []
        /// Why it ended early.
        var stopReason: StopReason?
    }

    private let arguments: Arguments
    private let manager: DownloadManager
    private let files: OptionFiles
    private var outcome = Outcome()
    private var task: Task<Void, Never>?
    private var lastLine = ContinuousClock.now
    /// The time between two lines about progress.
    private static let interval = Duration.seconds(5)
    nonisolated let executor = QueueExecutor(label: "spate.verify")
    private let done = DispatchSemaphore(value: 0)

    init(_ arguments: Arguments, _ files: OptionFiles, _ programs: RunningPrograms) {
        (self.arguments, self.files) = (arguments, files)
        let refresh = RefreshCommand(of: files.programs, arguments, among: programs) {
            StandardStream.error.writeNotice($0)
        }
        manager = arguments.manager(cookies: files.cookies, callbacksOn: executor.queue, preparing: refresh?.prepare)
    }

    /// Verifies everything. Blocks: call it once, from a thread that may block.
    nonisolated func finish() -> Outcome {
        soon { $0.begin() }
        done.wait()
        return now { $0.outcome }
    }

    /// Ends it early.
    nonisolated func stop(_ signal: StopSignal) { soon { $0.stop(for: .signal(signal)) } }

    private func begin() {
        task = Task {
            if outcome.stopReason == nil { await read() }
            done.signal()
        }
    }

    private func stop(for reason: StopReason) {
        guard outcome.stopReason == nil else { return }
        outcome.stopReason = reason
        if let notice = reason.notice { StandardStream.error.writeNotice(notice) }
        task?.cancel()
    }

    private func read() async {
        var options = VerificationOptions()
        if !files.checksums.isEmpty { setChecksums(of: &options) }
        if arguments.asksOnline {
            let template = RequestTemplate(arguments, files)
            options.onlineRequest = { template.request(for: DownloadItem(source: DownloadURL(stored: $0))) }
        }
        // What helps downloads says nothing about reading a disk.
        options.maxConcurrentFiles = if case .exactly(let count) = arguments.jobs { count } else { 3 }
        if !arguments.isQuiet, !arguments.writesJSON, StandardStream.error.isTerminal {
            options.progress = { progress in self.assumeIsolated { $0.show(progress) } }
        }
        let paths = FolderPaths(of: manager)
        for await (file, result) in manager.verify(options) {
            note(result)
            let line = VerifiedFile(file: file, result: result, paths: paths, wasAsked: arguments.asksOnline)
            let text = arguments.writesJSON ? line.json : arguments.isQuiet ? nil : line.row
            if let text, !StandardStream.output.writeLine(text) { return stop(for: StopReason(outputError: errno)) }
            if let error = result.error {
                StandardStream.error.writeNotice(.failure(error.message, of: line.url))
            }
        }
    }

    private func setChecksums(of options: inout VerificationOptions) {
        // If the folder can't be read, that is the result.
        let stored = (try? manager.storedDownloads()) ?? []
        let listed = FolderChecksums(files.checksums, stored, in: arguments.folder)
        for (path, checksum) in listed.checksums { options.setChecksum(checksum, of: path.text) }
        if arguments.isQuiet { return }
        for path in listed.contradictions {
            let notice = Notice.contradictingLines(PlainText.oneLine(path.text), lists: arguments.checksumLists)
            StandardStream.error.writeNotice(notice)
        }
    }

    private func note(_ result: VerificationResult) {
        switch result.state {
        case .verified, .sizeOnly, .damaged, .changed, .outdated: outcome.hasFinishedFiles = true
        case .missing, .partial, .running, .failed: break
        }
        if arguments.repairs, let request = result.repair {
            outcome.repairs.append(request)
        } else if result.isBad {
            outcome.isBad = true
        }
    }

    /// Large files take long: says every few seconds how far it is.
    private func show(_ progress: VerificationProgress) {
        let now = ContinuousClock.now
        guard now - lastLine >= Self.interval else { return }
        lastLine = now
        let files = PlainText.count(progress.files, "file")
        StandardStream.error.writeLine("\(files) checked, \(DownloadFormat.size(progress.readBytes)) read")
    }
}

/// What is printed about a verified file.
struct VerifiedFile {
    let file: URL
    let result: VerificationResult
    let paths: FolderPaths
    /// Whether servers were asked.
    let wasAsked: Bool

    /// The file's URL; `nil` if Spate did not make the file.
    var url: String? { result.url?.shown }

    /// State, amount, name and URL, as `status` shows them.
    var row: String {
        let amount = result.size.map { DownloadFormat.amount($0, of: result.expectedSize) } ?? "-"
        let answer = wasAsked ? [(result.isCurrent == true ? "current" : "-", 7)] : []
        let columns = ([(word, 9)] + answer + [(amount, 8)]).map { text, width in
            text + String(repeating: " ", count: max(0, width - text.count))
        }
        let origin = url.map(PlainText.oneLine) ?? (result.size == nil ? "-" : "not from Spate")
        return (columns + [PlainText.oneLine(paths.shown(FilePath(file.path))), origin]).joined(separator: "  ")
    }

    var json: String {
        let progress = DownloadProgress(receivedBytes: result.size ?? 0, totalBytes: result.expectedSize)
        var line = JSONLine(event: "verify", url: url, state: word, progress: progress)
        (line.file, line.error) = (file.path, result.error)
        if result.isCurrent == true { line.update = .unchanged }
        return line.text
    }

    /// Scripts rely on it.
    private var word: String { result.state == .sizeOnly ? "size-only" : result.state.rawValue }
}
