import HTTPResumption

/// Why an attempt ended without a complete file.
struct FetchFailure {
    var error: DownloadError
    /// How long the server asks to wait.
    var retryAfter: Duration?
    /// Set if the server is asked too much.
    var refusal: HostRestraint.Refusal?
    /// Whether it counts as a retry without progress, although bytes came: too few for so many requests.
    var isFutile = false
    /// Set if it may be on account of the connections beside the first one: the host, and when it refused.
    var suspicion: (host: HTTPOrigin, time: ContinuousClock.Instant)?

    init(_ error: DownloadError) {
        self.error = error
    }

    /// Whether the file cannot be written, by whatever connection.
    var isOfDisk: Bool { error.code == .diskFull || error.code == .fileSystem }
}
