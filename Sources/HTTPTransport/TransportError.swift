/// Why a transfer failed below HTTP's own answers.
package struct TransportError: Error, Sendable, Equatable {
    package enum Kind: Sendable, Equatable {
        case hostNotFound
        /// Refused, unreachable, or broken while it was made.
        case connectionFailed
        case proxy
        /// The handshake failed: the peers don't agree on how to speak.
        case tlsHandshake
        /// The peer's certificate is not to be trusted.
        case tlsUntrusted
        /// The file of certificates, or the like, cannot be used.
        case tlsConfiguration
        case connectTimeout
        /// No complete head in time.
        case headTimeout
        /// No byte of the body in time.
        case stalled
        /// Closed where a response should have begun.
        case emptyReply
        /// Closed, reset or broken off within the message.
        case broken
        /// Chunks that are none.
        case malformedChunks
        /// Not HTTP, or a head that contradicts itself.
        case malformedResponse
        case headTooLarge
        case interface
        /// Anything else that libcurl reports.
        case other(Int)
    }

    package var kind: Kind
    /// libcurl's words, for people who look closer.
    package var detail: String

    package init(_ kind: Kind, detail: String) {
        self.kind = kind
        self.detail = detail
    }
}
