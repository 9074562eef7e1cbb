import Foundation
import Synchronization

/// A server of a folder's files on 127.0.0.1 that behaves like a model, on a thread of its own. It closes everything with
/// this object at the latest.
final class ModelServer: Sendable {
    /// What it has seen.
    struct Counts: Sendable, Equatable {
        /// Requests that it answered with bytes of a file.
        var answered = 0
        /// Requests or connections that were too many.
        var refused = 0
        /// The most connections that were open at one time.
        var mostOpen = 0
        /// How often it collapsed.
        var collapses = 0
    }

    let port: UInt16
    private let state: Mutex<State>

    private struct State {
        var counts = Counts()
        var isStopping = false
        var hasStopped = false
    }

    init(_ model: ServerModel, serving folder: String) throws {
        let listening = try LoopbackPort(listens: true)
        port = listening.number
        state = Mutex(State())
        guard fcntl(listening.descriptor, F_SETFL, O_NONBLOCK) == 0 else { throw SystemError("fcntl") }
        // The thread holds this object no longer than a turn, so that it can end.
        Thread { [weak self] in
            var loop = ModelServerLoop(model: model, folder: folder, listener: listening.descriptor)
            while self?.goesOn(after: loop.counts) == true { loop.turn() }
            withExtendedLifetime(listening) { loop.closeAll() }
            self?.state.withLock { $0.hasStopped = true }
        }.start()
    }

    var counts: Counts { state.withLock { $0.counts } }

    /// Returns when all connections are closed.
    func stop() async throws {
        state.withLock { $0.isStopping = true }
        while !state.withLock({ $0.hasStopped }) { try await Task.sleep(for: .milliseconds(2)) }
    }

    private func goesOn(after counts: Counts) -> Bool {
        state.withLock { state in
            state.counts = counts
            return !state.isStopping
        }
    }
}
