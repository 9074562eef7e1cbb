import Dispatch
import Foundation
import Spate

/// The live display and its keys.
extension DownloadRun {
    func beginLive() {
        guard let live = display.live else { return }
        live.jobs = manager.maxConcurrentDownloads
        clock = LiveClock(on: executor.queue) {
            self.assumeIsolated { $0.tick() }
        } input: {
            self.assumeIsolated { $0.readKeys() }
        }
    }

    func endLive() {
        clock?.end()
        clock = nil
        display.live?.end()
    }

    /// Deals with what happened to the terminal, and returns then.
    nonisolated func handle(_ event: TerminalEvent) {
        executor.queue.sync {
            self.assumeIsolated {
                $0.display.live?.handle(event)
                $0.listen()
            }
        }
    }

    private func tick() {
        display.live?.tick()
        listen()
    }

    private func readKeys() {
        for command in display.live?.readCommands() ?? [] { perform(command) }
        listen()
    }

    private func listen() {
        if let live = display.live { clock?.listen(live.wantsInput) }
    }

    private func perform(_ command: RunCommand) {
        guard stopReason == nil else { return }
        switch command {
        case .pause(let number): entry(number)?.download.pause()
        case .resume(let number): entry(number)?.download.resume()
        case .cancel(let number): entry(number)?.download.cancel()
        case .delete(let number): delete(number)
        case .changeJobs(let step):
            manager.maxConcurrentDownloads = min(1000, manager.maxConcurrentDownloads + step)
            display.live?.jobs = manager.maxConcurrentDownloads
        case .pauseAll:
            isHoldingBack = true
            manager.pauseAll()
        case .resumeAll:
            isHoldingBack = false
            manager.resumeAll()
            feed()
        // As Ctrl-C does, the exit code too: what comes after `&&` counts on all files being there.
        case .quit: beginStop(.signal(.interrupt))
        }
    }

    private func delete(_ number: Int) {
        guard let entry = entry(number) else { return }
        do {
            try manager.delete(entry.order.address.url)
        } catch {
            display.say(Notice.failure(error.localizedDescription, of: entry.order.address.shown).text)
        }
    }

    private func entry(_ number: Int) -> Active? {
        active.taken.first { $0.number == number }
    }
}
