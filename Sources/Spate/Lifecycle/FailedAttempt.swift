import SpateHTTPResumption

/// The results of a failed attempt.
struct FailedAttempt {
    /// The origin's part, for a mirror to continue.
    enum Part {
        case nothing
        /// A mirror may continue it after proving that it has the same file.
        case joinable
        /// A mirror cannot prove that.
        case fixed
    }

    /// How many bytes are kept.
    var reached: Int64
    /// How many of them were there before.
    var found: Int64 = 0
    /// How long the server asks to wait.
    var retryAfter: Duration?
    /// Whether it counts as without progress in any case.
    var isFutile = false
    /// Whether the host was not found because there is no such name.
    var hasNoSuchName = false
    /// The steps tried at this source.
    var history: ResumeHistory
    /// `nil` if the attempt did not touch it.
    var part: Part?
    /// Whether other sources must not be asked: they never replace a finished file without a checksum.
    var staysAtOrigin = false

    init(reached: Int64, _ history: ResumeHistory) {
        (self.reached, self.history) = (reached, history)
    }
}
