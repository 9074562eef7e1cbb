import HTTPResumption

/// What a failed attempt leaves behind.
struct FailedAttempt {
    /// What there is of the part that the origin began, for a mirror to continue.
    enum Part {
        case nothing
        /// A mirror may continue it if that shows that it has the same file.
        case joinable
        /// A mirror cannot show that.
        case fixed
    }

    /// How many bytes are kept.
    var reached: Int64
    /// How long the server asks to wait.
    var retryAfter: Duration?
    /// Whether it counts as one without progress in any case.
    var isFutile = false
    /// What was tried at this source.
    var history: ResumeHistory
    /// `nil` if the attempt did not touch it.
    var part: Part?
    /// Whether other sources must not be asked: they never replace a finished file that no checksum proves.
    var staysAtOrigin = false

    init(reached: Int64, _ history: ResumeHistory) {
        (self.reached, self.history) = (reached, history)
    }
}
