import Foundation
import Spate

/// The closures of a user who enqueues something: they are told one end, and no progress after it.
// One thread at a time works in a world.
final class Closures: @unchecked Sendable {
    let process: SimulatedProcess
    let name: String
    private(set) var endCount = 0
    private unowned let world: World

    init(of world: World, for url: URL, in process: SimulatedProcess) {
        (self.world, self.process) = (world, process)
        name = world.shown(url)
    }

    func note(_ progress: DownloadProgress) {
        guard process.isAlive else { return }
        if endCount > 0 { world.fail("\(name): its closure is told progress after the end") }
        if let total = progress.totalBytes, progress.receivedBytes > total {
            world.fail("\(name): its closure is told more than there is")
        }
    }

    func note(_ result: Result<URL, DownloadError>) {
        guard process.isAlive else { return }
        endCount += 1
        if endCount > 1 { world.fail("\(name): its closure is told two ends") }
    }
}

extension World {
    /// Enqueues one, with closures or without.
    @discardableResult
    func enqueue(_ request: DownloadRequest, by manager: DownloadManager, of session: Session) -> Download {
        guard timeline.onceIn(3) else { return manager.download(request) }
        let closures = Closures(of: self, for: request.url, in: session.process)
        self.closures.append(closures)
        let wantsProgress = timeline.onceIn(2)
        let progress: @Sendable (DownloadProgress) -> Void = { closures.note($0) }
        return manager.download(request, progress: wantsProgress ? progress : nil) { closures.note($0) }
    }

    /// All has ended.
    func checkClosures() {
        for closures in closures where closures.process.isAlive && closures.endCount == 0 {
            fail("\(closures.name): its closure is told no end")
        }
    }
}
