/// The caller's limits for a response.
package struct ResponseLimits: Hashable, Sendable {
    /// The size that the whole file must have.
    package var expectedBytes: Int64?
    /// The largest size that the whole file may have.
    package var maximumBytes: Int64?
    /// The limit for Retry-After, in seconds.
    package var longestWait: Int64

    package init(expectedBytes: Int64? = nil, maximumBytes: Int64? = nil, longestWait: Int64 = RetryAfter.longest) {
        self.expectedBytes = expectedBytes
        self.maximumBytes = maximumBytes
        self.longestWait = longestWait
    }
}
