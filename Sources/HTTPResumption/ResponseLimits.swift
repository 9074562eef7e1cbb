import SpateHTTPSyntax

/// The caller's limits for a response.
package struct ResponseLimits: Hashable, Sendable {
    /// The size that the whole file must have.
    package var expectedBytes: Int64?
    /// The largest size that the whole file may have.
    package var maximumBytes: Int64?
    /// The size of the origin's file, if it is known and the request goes to another source.
    package var originTotal: Int64?
    /// Whether checksums will prove the file, whatever its source.
    package var hasProof: Bool
    /// Whether a page may replace a file that was no page.
    package var acceptsPages: Bool
    /// The limit for Retry-After, in seconds.
    package var longestWait: Int64

    package init(
        expectedBytes: Int64? = nil,
        maximumBytes: Int64? = nil,
        originTotal: Int64? = nil,
        hasProof: Bool = false,
        acceptsPages: Bool = false,
        longestWait: Int64 = RetryAfter.longest
    ) {
        self.expectedBytes = expectedBytes
        self.maximumBytes = maximumBytes
        self.originTotal = originTotal
        self.hasProof = hasProof
        self.acceptsPages = acceptsPages
        self.longestWait = longestWait
    }
}
