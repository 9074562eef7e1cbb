extension ContinuousClock.Instant {
    /// The time since some moment of this process, to store instead of the instant: the compiler does not know the size of
    /// an instant, and reaches the fields beside one through metadata.
    package var stored: Duration { self - Self.origin }

    private static let origin = ContinuousClock.now
}
