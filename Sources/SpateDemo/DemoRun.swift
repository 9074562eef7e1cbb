import Dispatch
import Foundation
import Spate
import SpateConsole

/// Downloads all files of the demo under a display, and pauses one of them halfway.
actor DemoRun: QueueActor {
    private let files: [DemoFile]
    private let server: DemoServer
    private let manager: DownloadManager
    private let display: any Display

    private var unfinished: Int
    private var outcome = Outcome()
    private var timer: LiveTimer?
    nonisolated let executor: QueueExecutor
    private let done = DispatchSemaphore(value: 0)

    /// What the run observed.
    struct Outcome: Sendable, Equatable {
        /// The names of the files that were paused.
        var paused: Set<String> = []
        /// Errors by file name.
        var failures: [String: String] = [:]
    }

    init(_ server: DemoServer, files: [DemoFile], folder: String, display: sending any Display) {
        self.files = files
        self.server = server
        self.display = display
        unfinished = files.count
        executor = QueueExecutor(label: "spate.demo.run")
        let directory = URL(fileURLWithPath: folder, isDirectory: true).absoluteURL
        var configuration = DownloadManager.Configuration(directory: directory)
        configuration.callbackQueue = executor.queue
        manager = DownloadManager(configuration: configuration)
    }

    /// Returns after every download has ended and nothing writes to the folder. Blocks: call it once, from a thread
    /// that may block.
    nonisolated func finish() -> Outcome {
        soon { $0.begin() }
        done.wait()
        return now { $0.outcome }
    }

    /// Handles a terminal event synchronously.
    nonisolated func handle(_ event: TerminalEvent) { now { $0.display.live?.handle(event) } }

    private func begin() {
        if let live = display.live {
            live.show(jobs: manager.maxConcurrentDownloads)
            timer = LiveTimer(on: executor.queue) {
                self.assumeIsolated { $0.display.live?.tick() }
            }
        }
        for (number, file) in files.enumerated() {
            let address = server.url(of: file)
            guard let url = URL(string: address) else {
                end(file.name, because: "The URL is invalid.")
                continue
            }
            var request = DownloadRequest(url)
            request.connections = .exactly(file.scenario == .divided ? 4 : 1)
            let download = manager.download(request)
            let shown = ShownDownload(number: number, url: address, name: file.name, download: download)
            Task {
                for await event in download.events { show(event, of: download, shown) }
            }
            if file.scenario == .pausedHalfway {
                Task { await pauseHalfway(download, file) }
            }
        }
        Task { await watch() }
    }

    private func show(_ event: DownloadEvent, of download: Download, _ shown: ShownDownload) {
        var shown = shown
        shown.progress = download.progress
        display.show(event, of: shown)
        guard case .state(let state) = event else { return }
        switch state {
        case .paused: outcome.paused.insert(shown.name)
        case .finished: end(shown.name)
        case .failed(let error): end(shown.name, because: PlainText.oneLine(error.message))
        case .cancelled: end(shown.name, because: "The download was cancelled.")
        case .waiting, .running: break
        }
    }

    private func end(_ name: String, because reason: String? = nil) {
        outcome.failures[name] = reason
        if let reason, SignalWatch.received == nil { display.say("spate: \(name): \(reason)") }
        unfinished -= 1
    }

    /// Never too late: the server sends the second half only after the client has gone.
    private func pauseHalfway(_ download: Download, _ file: DemoFile) async {
        while download.progress.receivedBytes < file.half, !download.state.isTerminal { await nap() }
        download.pause()
        while server.log.exchanges(of: file).contains(where: { $0.end == nil }), !download.state.isTerminal {
            await nap()
        }
        // Long enough to be seen. Nothing else depends on it.
        try? await Task.sleep(for: .seconds(1))
        download.resume()
    }

    /// Ends the run when all downloads are done, after a signal, or after a time limit.
    private func watch() async {
        let deadline = ContinuousClock.now + .seconds(300)
        while unfinished > 0, SignalWatch.received == nil, .now < deadline { await nap() }
        let operations = manager.downloads.compactMap(\.operation)
        manager.cancelAll()
        let limit = ContinuousClock.now + .seconds(30)
        // Attempts may still write to the folder, which will be deleted.
        while operations.contains(where: { !$0.isFinished }), .now < limit { await nap() }
        // The display must see the last states.
        while unfinished > 0, .now < limit { await nap() }
        timer?.end()
        display.live?.end()
        done.signal()
    }

    private func nap() async {
        try? await Task.sleep(for: .milliseconds(40))
    }
}
