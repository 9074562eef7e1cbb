import CSpateCurl
import SpateHTTPSyntax

/// Finds a body's bytes in the pieces that libcurl passes on, and verifies the end of the body.
struct BodyFraming {
    /// `nil` if the body is not chunked.
    private var chunks: ChunkReader?
    private var fault: ChunkFault?
    /// What marks the end of a body without a length and without chunks.
    enum End {
        /// The end of the TLS connection, if a close_notify announces it. ``receivedCloseNotify`` must be set.
        case connection
        /// The end of the HTTP/2 stream. libcurl (up to 8.23) does not tell it from a reset of the stream without an error.
        case stream
    }

    /// `nil` if the end of the message says it all.
    let end: End?
    /// The length that the message states. `nil` if a transfer coding overrides it.
    let length: Int64?
    /// Whether the peer sent a TLS close_notify; `nil` if unknown or not needed.
    var receivedCloseNotify: Bool?

    init() {
        (end, length) = (nil, nil)
    }

    init(_ head: ResponseHead, isSecure: Bool) {
        let isChunked = head.isChunked
        let stated = head.contentLength
        if isChunked { chunks = ChunkReader(overheadLimit: HeadReader.byteLimit) }
        if case .exact(let count) = stated, !head.overridesContentLength { length = count } else { length = nil }
        let needsEnd = stated == .absent && !isChunked
        end = !needsEnd ? nil : head.isMessageFramed ? .stream : isSecure ? .connection : nil
    }

    /// Consumes `piece` from the front up to the next run of the body's bytes, and returns that run.
    ///
    /// `nil` if no bytes are left, or if those left are not the body's.
    mutating func next(from piece: inout UnsafeRawBufferPointer) -> UnsafeRawBufferPointer? {
        guard chunks != nil else {
            defer { piece = UnsafeRawBufferPointer(start: nil, count: 0) }
            return piece.isEmpty ? nil : piece
        }
        do throws(ChunkFault) {
            return try chunks?.next(from: &piece)
        } catch {
            fault = error
            return nil
        }
    }

    /// Whether the transfer can continue after a piece, given the bytes left of it.
    ///
    /// Bytes after the last chunk belong to no response. They make the connection unusable.
    func canContinue(after rest: UnsafeRawBufferPointer) -> Bool {
        fault == nil && rest.isEmpty
    }

    /// How the transfer ended, if the framing overrides libcurl's result.
    func end(code: CInt) -> TransferEnd? {
        let isComplete = code == CInt(SPATE_CURLE_OK)
        switch self.end {
        case .connection where isComplete && receivedCloseNotify == false:
            return .failed(TransportError(.broken, detail: "the connection ended without a TLS close_notify"))
        case .stream where isComplete: return .unproven
        case .connection, .stream, nil: break
        }
        guard let chunks else { return nil }
        if let fault { return .failed(fault.transportError) }
        if chunks.isComplete { return .complete }
        // libcurl does not see the chunks, and takes the end of the connection for the end of the body.
        return isComplete ? .failed(TransportError(.malformedChunks, detail: "the last chunk is missing")) : nil
    }
}

extension ChunkFault {
    fileprivate var transportError: TransportError {
        switch self {
        case .invalidSize: TransportError(.malformedChunks, detail: "a chunk has an invalid size")
        case .missingLineEnd: TransportError(.malformedChunks, detail: "a chunk does not end with a line end")
        case .tooMuchOverhead:
            TransportError(.headTooLarge, detail: "more than \(HeadReader.byteLimit) bytes between or after chunks")
        }
    }
}
