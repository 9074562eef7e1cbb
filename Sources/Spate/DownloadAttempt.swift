/// Why an attempt at a download is made, for ``DownloadManager/Configuration-swift.struct/prepare``.
public struct DownloadAttempt: Sendable {
    /// The number of the attempt, from 1.
    ///
    /// It grows with each attempt, also after a pause, and even if the attempt is paused before it begins.
    public var number: Int
    /// Why the previous attempt failed; `nil` for the first attempt, and after a paused one.
    public var previousError: DownloadError?

    /// Creates an attempt, for tests of a closure that prepares requests.
    public init(number: Int, previousError: DownloadError? = nil) {
        self.number = number
        self.previousError = previousError
    }
}
