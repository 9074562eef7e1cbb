import SpateConsole

/// Passes the signal that stops the program on to the present step of a command with several.
actor StopRelay {
    private var signal: StopSignal?
    private var stop: (@Sendable (StopSignal) -> Void)?

    /// Watches for the signals from now on. Make it before other threads, and only once.
    ///
    /// - Parameter last: called right before a second signal ends the process at once.
    static func watching(beforeExit last: @escaping @Sendable () -> Void) -> StopRelay {
        let (signals, relay) = (SignalWatch(), StopRelay())
        signals.start({ signal in Task { await relay.take(signal) } }, beforeExit: last)
        return relay
    }

    /// From now on, a signal calls this; at once if one has come before.
    nonisolated func pass(to stop: @escaping @Sendable (StopSignal) -> Void) {
        Task { await begin(stop) }
    }

    private func begin(_ stop: @escaping @Sendable (StopSignal) -> Void) {
        self.stop = stop
        if let signal { stop(signal) }
    }

    private func take(_ signal: StopSignal) {
        self.signal = signal
        stop?(signal)
    }
}
