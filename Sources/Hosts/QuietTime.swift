/// How connections come back after a host has refused some: one for each ten seconds without a refusal.
package enum QuietTime {
    static let length = Duration.seconds(10)

    /// The number of connections that have come back since the last refusal.
    ///
    /// - Parameter doublings: how often the ten seconds were doubled, after repeated refusals.
    package static func regained(_ quiet: Duration, doublings: Int = 0) -> Int {
        max(0, Int(clamping: Int64(quiet / (length * (1 << doublings)))))
    }

    /// The quiet time at which the next connection comes back.
    package static func next(_ quiet: Duration) -> Duration { length * (regained(quiet) + 1) }
}
