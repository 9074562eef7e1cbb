package import SpateTiming

extension Runtime {
    /// The runtime of this process, with other clocks or timers.
    package static func native(
        clock: @escaping @Sendable () -> ContinuousClock.Instant = native.clock,
        wallClock: @escaping @Sendable () -> Duration = native.wallClock,
        after: @escaping @Sendable (Duration, @escaping @Sendable () -> Void) -> Void = native.after
    ) -> Runtime {
        Runtime(
            clock: clock,
            wallClock: wallClock,
            processorTime: native.processorTime,
            randomBits: native.randomBits,
            sleep: native.sleep,
            after: after,
            makeQueue: native.makeQueue,
            makeStartQueue: native.makeStartQueue,
            inParallel: native.inParallel,
            executor: native.executor
        )
    }
}
