/// A host that has refused connections is asked for one more each time that a while has passed without a refusal.
enum QuietTime {
    static let length = Duration.seconds(10)

    /// How many connections have come back since the last refusal.
    ///
    /// - Parameter doublings: how often that while was doubled, because the host has refused again and again.
    static func regained(_ quiet: Duration, doublings: Int = 0) -> Int {
        max(0, Int(clamping: Int64(quiet / (length * (1 << doublings)))))
    }

    /// After how long without a refusal this becomes more.
    static func next(_ quiet: Duration) -> Duration { length * (regained(quiet) + 1) }
}
