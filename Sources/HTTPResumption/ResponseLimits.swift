/// What the caller allows a response to be.
package struct ResponseLimits: Hashable, Sendable {
    /// The size that the whole must have.
    package var expectedBytes: Int64?
    /// The size that the whole may have at most.
    package var maximumBytes: Int64?
    /// The longest Retry-After that is honoured, in seconds.
    package var longestWait: Int64

    package init(expectedBytes: Int64? = nil, maximumBytes: Int64? = nil, longestWait: Int64 = RetryAfter.longest) {
        self.expectedBytes = expectedBytes
        self.maximumBytes = maximumBytes
        self.longestWait = longestWait
    }
}
