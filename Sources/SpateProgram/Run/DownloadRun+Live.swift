import Dispatch
import Foundation
import Spate
import SpateConsole

/// The live display and its keys.
extension DownloadRun {
    func startLive() {
        guard let live = display.live else { return }
        showLimits()
        timer = LiveTimer(on: executor.queue, reading: live.input) {
            self.assumeIsolated { $0.tick() }
        } input: {
            self.assumeIsolated { $0.readKeys() }
        }
    }

    func endLive() {
        timer?.end()
        timer = nil
        display.live?.end()
    }

    /// Handles a terminal event synchronously.
    nonisolated func handle(_ event: TerminalEvent) {
        now {
            $0.display.live?.handle(event)
            $0.listen()
        }
    }

    private func tick() {
        showLimits()
        display.live?.tick(manager.progress)
        listen()
    }

    /// An automatic number of downloads changes by itself.
    private func showLimits() {
        let (jobs, limit) = (manager.maxConcurrentDownloads, manager.maxBytesPerSecond)
        display.live?.show(jobs: jobs, findsJobs: findsJobs, rateLimit: limit)
    }

    private var findsJobs: Bool { if case .automatic = manager.concurrency { true } else { false } }

    private func readKeys() {
        for command in display.live?.readCommands() ?? [] { perform(command) }
        listen()
    }

    private func listen() {
        if let live = display.live { timer?.listen(live.wantsInput) }
    }

    private func perform(_ command: RunCommand) {
        guard phase.isGoingOn else { return }
        switch command {
        case .pause(let number): download(number)?.pause()
        case .resume(let number): download(number)?.resume()
        case .cancel(let number): download(number)?.cancel()
        case .delete(let number): delete(number)
        case .changeJobs(let step):
            manager.maxConcurrentDownloads = min(1000, manager.maxConcurrentDownloads + step)
        // Set again, it would begin anew.
        case .findJobs: if !findsJobs { manager.concurrency = .automatic }
        case .changeRate(let step):
            let speed = manager.progress.bytesPerSecond
            manager.maxBytesPerSecond = step.limit(after: manager.maxBytesPerSecond, at: speed)
        case .pauseAll:
            phase = .held
            manager.pauseAll()
        case .resumeAll:
            phase = .running
            manager.resumeAll()
            startNext()
        // The exit code of Ctrl-C: a command after `&&` must not run without all files.
        case .quit: stop(for: .signal(.interrupt))
        }
        showLimits()
    }

    private func delete(_ number: Int) {
        guard let download = download(number) else { return }
        deleted.insert(download.id)
        do {
            try manager.delete(download.request)
        } catch {
            deleted.remove(download.id)
            display.say(Notice.failure(error.localizedDescription, of: download.url.shown).text, as: .failure)
        }
    }

    private func download(_ number: Int) -> Download? {
        shown.first { $0.value.number == number }.flatMap { active[$0.key] }
    }
}
