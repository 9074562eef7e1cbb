import Dispatch
import Foundation
import Spate

/// Downloads all files of the demo under a display, and pauses one of them halfway.
actor DemoRun {
    private let files: [DemoFile]
    private let server: DemoServer<DemoLog>
    private let stop: DemoStop
    private let manager: DownloadManager
    private let display: any Display

    private var left: Int
    private var paused: Set<String> = []
    private var failures: [String: String] = [:]
    private var clock: LiveClock?
    private let executor: QueueExecutor
    private let done = DispatchSemaphore(value: 0)

    nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

    /// What the run itself saw.
    struct Outcome: Sendable, Equatable {
        /// The names of files that were seen paused.
        var paused: Set<String> = []
        /// Why a file is not there, by its name.
        var failures: [String: String] = [:]
    }

    init(
        _ server: DemoServer<DemoLog>,
        files: [DemoFile],
        folder: String,
        stop: DemoStop,
        display: sending any Display
    ) {
        self.files = files
        self.server = server
        self.stop = stop
        self.display = display
        left = files.count
        executor = QueueExecutor(label: "spate.demo.run")
        var arguments = Arguments()
        arguments.directory = folder
        manager = arguments.manager(callbacksOn: executor.queue)
    }

    /// Returns when every download has ended, and nothing writes to the folder any more. Call it once, from a thread that may wait.
    nonisolated func finish() -> Outcome {
        executor.queue.async {
            self.assumeIsolated { $0.begin() }
        }
        done.wait()
        return executor.queue.sync {
            self.assumeIsolated { Outcome(paused: $0.paused, failures: $0.failures) }
        }
    }

    /// Deals with what happened to the terminal, and returns then.
    nonisolated func handle(_ event: TerminalEvent) {
        executor.queue.sync {
            self.assumeIsolated { $0.display.live?.handle(event) }
        }
    }

    private func begin() {
        if let live = display.live {
            live.jobs = manager.maxConcurrentDownloads
            clock = LiveClock(on: executor.queue) {
                self.assumeIsolated { $0.display.live?.tick() }
            } input: {
            }
        }
        for (number, file) in files.enumerated() {
            do {
                let order = DownloadOrder(address: try Address(server.url(of: file)))
                let download = manager.download(order.address.url)
                Task {
                    for await event in download.events { show(event, of: download, order, number: number) }
                }
                if file.story == .pausedHalfway {
                    Task { await pauseHalfway(download, file) }
                }
            } catch {
                end(file.name, because: error.message)
            }
        }
        Task { await watch() }
    }

    private func show(_ event: DownloadEvent, of download: Download, _ order: DownloadOrder, number: Int) {
        display.show(
            event,
            of: ShownDownload(number: number, order: order, progress: download.progress, download: download)
        )
        guard case .state(let state) = event else { return }
        switch state {
        case .paused: paused.insert(order.name)
        case .finished: end(order.name)
        case .failed(let error): end(order.name, because: Address.oneLine(error.message))
        case .cancelled: end(order.name, because: "The download was cancelled.")
        case .waiting, .running: break
        }
    }

    private func end(_ name: String, because reason: String? = nil) {
        failures[name] = reason
        if let reason, stop.exitCode == nil { display.say("spate: \(name): \(reason)") }
        left -= 1
    }

    /// The server holds back the second half until the client has gone, so this is never late.
    private func pauseHalfway(_ download: Download, _ file: DemoFile) async {
        while download.progress.receivedBytes < file.half, !download.state.isTerminal { await nap() }
        download.pause()
        while server.log.exchanges(of: file).contains(where: { $0.end == nil }), !download.state.isTerminal {
            await nap()
        }
        // Long enough to be seen; nothing else hangs on it.
        try? await Task.sleep(for: .seconds(1))
        download.resume()
    }

    /// Ends all when the program is to stop, or when it takes so long that something must be wrong.
    private func watch() async {
        let deadline = ContinuousClock.now + .seconds(90)
        while left > 0, stop.exitCode == nil, .now < deadline { await nap() }
        let operations = manager.downloads.compactMap(\.operation)
        manager.cancelAll()
        let patience = ContinuousClock.now + .seconds(5)
        // Their attempts may still write to the folder that is to be removed.
        while operations.contains(where: { !$0.isFinished }), .now < patience { await nap() }
        // A display is told of the last end, too.
        while left > 0, .now < patience { await nap() }
        clock?.end()
        display.live?.end()
        done.signal()
    }

    private func nap() async {
        try? await Task.sleep(for: .milliseconds(40))
    }
}
