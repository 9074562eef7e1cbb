import CCurl
import HTTPResumption

/// Where a body's bytes are in what libcurl hands over, and whether its end is one.
struct BodyFraming {
    /// Where it comes in chunks.
    private var chunks: ChunkReader?
    private var fault: ChunkFault?
    /// Whether nothing but the connection's end tells that of the body, and the connection has one that cannot be
    /// forged: what ``peerEnded`` must be told of, then.
    let needsPeersEnd: Bool
    /// Whether the peer has said over TLS that it sends no more; `nil` where that was not asked, or cannot be told.
    var peerEnded: Bool?

    init() {
        needsPeersEnd = false
    }

    init(_ head: ResponseHead, isSecure: Bool) {
        if head.isChunked { chunks = ChunkReader(overheadLimit: HeadReader.byteLimit) }
        needsPeersEnd = isSecure && !head.showsItsEnd && head.contentLength == .absent
    }

    /// Takes the next run of the body from the front of a piece; `nil` when there is none left, and when the rest is
    /// no part of the body.
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

    /// Whether the transfer can go on after a piece of which this is left.
    ///
    /// What follows the last chunk is nobody's, nor is the connection of use that it came on.
    func goesOn(after rest: UnsafeRawBufferPointer) -> Bool {
        fault == nil && rest.isEmpty
    }

    /// What is known of the end beyond libcurl's result; `nil` where that counts.
    func end(code: CInt) -> TransferEnd? {
        let isOver = code == CInt(SPATE_CURLE_OK)
        if isOver, peerEnded == false {
            return .failed(TransportError(.broken, detail: "the connection was cut: TLS has an end, which is missing"))
        }
        guard let chunks else { return nil }
        if let fault { return .failed(fault.transportError) }
        if chunks.isComplete { return .complete }
        // libcurl saw an end where there was none.
        return isOver ? .failed(TransportError(.malformedChunks, detail: "the last chunk is missing")) : nil
    }
}

extension ChunkFault {
    fileprivate var transportError: TransportError {
        switch self {
        case .noSize: TransportError(.malformedChunks, detail: "a chunk's size is no number")
        case .noLineEnd: TransportError(.malformedChunks, detail: "a chunk does not end where it should")
        case .tooMuchBetween:
            TransportError(.headTooLarge, detail: "more than \(HeadReader.byteLimit) bytes between the chunks")
        }
    }
}
