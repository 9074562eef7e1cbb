import Glibc
import SpateConsole
import SpateLocking

/// Passes the signal that stops the program on to the present step of a command. Before the first step there is nothing
/// to stop in order, and the signal ends the process.
final class StopRelay: Sendable {
    private struct State {
        var signal: StopSignal?
        var stop: (@Sendable (StopSignal) -> Void)?
        var handle: (@Sendable (TerminalEvent) -> Void)?
    }

    private let programs: RunningPrograms
    private let state = Locked(State())

    /// Watches for the signals from now on. Make it before other threads, and only once.
    ///
    /// - Parameters:
    ///   - programs: killed right before the process ends at once.
    ///   - isLive: whether to watch for the terminal's signals, too.
    static func watching(_ programs: RunningPrograms, isLive: Bool = false) -> StopRelay {
        let (signals, terminal) = (SignalWatch(), isLive ? TerminalSignals() : nil)
        let relay = StopRelay(programs)
        signals.start({ relay.take($0) }, beforeExit: { programs.kill() })
        terminal?.start { event in relay.state.withLock(\.handle)?(event) }
        return relay
    }

    private init(_ programs: RunningPrograms) {
        self.programs = programs
    }

    /// From now on, a signal calls this; at once if one has come before.
    func pass(to stop: @escaping @Sendable (StopSignal) -> Void) {
        let signal = state.withLock { state in
            state.stop = stop
            return state.signal
        }
        if let signal { stop(signal) }
    }

    /// From now on, an event of the terminal calls this.
    func pass(terminalTo handle: @escaping @Sendable (TerminalEvent) -> Void) {
        state.withLock { $0.handle = handle }
    }

    /// From now on, a signal ends the process: nothing is left to be stopped in order.
    func passToNothing() { pass(to: endAtOnce) }

    private func take(_ signal: StopSignal) {
        let stop = state.withLock { state in
            state.signal = signal
            return state.stop
        }
        stop?(signal) ?? endAtOnce(signal)
    }

    @Sendable private func endAtOnce(_ signal: StopSignal) {
        programs.kill()
        PrivateFolder.removeAll()
        _exit(signal.exitCode)
    }
}
