import Foundation
import Spate

/// The program's own `prepare`: it signs URLs and adds a token, takes its time, and fails now and then.
// One thread at a time works in a world.
final class Preparer: @unchecked Sendable {
    private unowned let world: World
    private let process: SimulatedProcess

    private struct NoAnswer: Error {}

    init(of world: World, in process: SimulatedProcess) {
        (self.world, self.process) = (world, process)
    }

    func prepare(_ request: DownloadRequest, _ attempt: DownloadAttempt) async throws -> DownloadRequest {
        let timeline = world.timeline
        let (isSlow, fails, isLost) = (timeline.onceIn(2), timeline.onceIn(8), timeline.onceIn(3))
        let delay = timeline.time(upTo: timeline.pick([.milliseconds(20), .seconds(1), .seconds(40)]))
        if isSlow { await wait(world.isEnding ? .milliseconds(1) : delay) }
        if fails, !world.isEnding { throw isLost ? CancellationError() : NoAnswer() }
        var prepared = request
        prepared.url = URL(string: world.network.signed(request.url.absoluteString)) ?? request.url
        prepared.headers["X-Ticket"] = world.ticket(of: request.url)
        return prepared
    }

    /// Nobody is told of the end of a process, so this may never return.
    private func wait(_ delay: Duration) async {
        await withUnsafeContinuation { continuation in
            world.timeline.after(delay, in: process) { continuation.resume() }
        }
    }
}
