import Foundation
import Spate

/// Follows all downloads of a manager, and reports what no manager may tell: an end that comes twice, or anything after an
/// end.
final class Watcher: DownloadManagerDelegate, @unchecked Sendable {
    private struct Seen {
        /// Held, so that no other gets its identity.
        let download: Download
        var hasEnded = false
        var endCount = 0
    }

    private unowned let world: World
    private let process: SimulatedProcess
    private var seen: [ObjectIdentifier: Seen] = [:]

    init(of world: World, in process: SimulatedProcess) {
        (self.world, self.process) = (world, process)
    }

    func download(_ download: Download, didChangeTo state: DownloadState) {
        // A process that ended within a call tells nobody what would have followed.
        guard process.isAlive else { return }
        note(download) { seen in
            if seen.hasEnded { world.fail("a state after the end of \(download.url.lastPathComponent): \(state.name)") }
            seen.hasEnded = state.isTerminal
        }
        world.timeline.note("\(world.shown(download)) is \(state.name)")
    }

    func download(_ download: Download, didReceive progress: DownloadProgress) {
        guard process.isAlive else { return }
        note(download) { seen in
            if seen.endCount > 0 { world.fail("progress after the end of \(world.shown(download))") }
        }
    }

    func download(_ download: Download, didFinishAt file: URL) {
        guard process.isAlive else { return }
        noteEnd(of: download)
        world.noteFinished(download, at: file)
    }

    func download(_ download: Download, didFailWith error: DownloadError) {
        guard process.isAlive else { return }
        noteEnd(of: download)
        world.timeline.note("\(world.shown(download)): \(error.code.rawValue) \(error.message)")
    }

    private func noteEnd(of download: Download) {
        note(download) { seen in
            seen.endCount += 1
            if seen.endCount > 1 { world.fail("two ends of \(world.shown(download))") }
            if !seen.hasEnded { world.fail("an end before its state: \(world.shown(download))") }
        }
    }

    private func note(_ download: Download, _ change: (inout Seen) -> Void) {
        change(&seen[ObjectIdentifier(download), default: Seen(download: download)])
    }

    /// Lets go of the downloads.
    func close() {
        seen = [:]
    }
}

extension DownloadState {
    var name: String {
        switch self {
        case .waiting(.slot): "waiting"
        case .waiting(.retry): "retrying"
        case .running: "running"
        case .paused: "paused"
        case .finished: "finished"
        case .failed: "failed"
        case .cancelled: "cancelled"
        }
    }
}
