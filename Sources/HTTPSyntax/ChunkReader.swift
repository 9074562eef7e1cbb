/// Decodes the chunked transfer coding (RFC 9112, section 7.1).
///
/// libcurl's decoder accepts any line that begins with a digit as a size: it reads `0x64` as the last chunk. The end
/// of the message decides whether a file is complete, so this decoder is strict: a size is hexadecimal digits only.
/// It accepts blanks after the size, which some servers use as padding, and a bare LF as a line end.
package struct ChunkReader: Sendable {
    /// The most bytes outside the body, such as extensions and trailers, in a row.
    private let overheadLimit: Int
    private var state = State.size(digits: 0, value: 0)
    /// The number of such bytes since the last byte of the body.
    private var overhead = 0

    package init(overheadLimit: Int) {
        self.overheadLimit = overheadLimit
    }

    private enum State {
        case size(digits: Int, value: Int64)
        case blanks(size: Int64)
        case chunkExtension(size: Int64)
        case sizeLineFeed(size: Int64)
        case data(left: Int64)
        case dataEnd
        case dataLineFeed
        case trailerStart
        case trailer
        case lastLineFeed
        case complete
    }

    /// Whether the last chunk and the end of the trailers have arrived.
    package var isComplete: Bool {
        if case .complete = state { true } else { false }
    }

    /// Consumes `bytes` from the front up to the next run of the body's bytes, and returns that run.
    ///
    /// `nil` if no bytes are left, or if those left come after the end of the message.
    package mutating func next(
        from bytes: inout UnsafeRawBufferPointer
    ) throws(ChunkFault) -> UnsafeRawBufferPointer? {
        while let byte = bytes.first, !isComplete {
            if case .data(let left) = state {
                let run = UnsafeRawBufferPointer(rebasing: bytes.prefix(Int(clamping: left)))
                bytes = UnsafeRawBufferPointer(rebasing: bytes.dropFirst(run.count))
                state = left == run.count ? .dataEnd : .data(left: left - Int64(run.count))
                overhead = 0
                return run
            }
            bytes = UnsafeRawBufferPointer(rebasing: bytes.dropFirst())
            overhead += 1
            guard overhead <= overheadLimit else { throw .tooMuchOverhead }
            state = try Self.state(after: byte, in: state)
        }
        return nil
    }

    private static func state(after byte: UInt8, in state: State) throws(ChunkFault) -> State {
        switch state {
        case .size(let digits, let value): try sizeState(after: byte, digits: digits, value: value)
        case .blanks(let size): try lineState(after: byte, size: size)
        case .chunkExtension(let size): byte == .lineFeed ? dataState(size) : state
        case .sizeLineFeed(let size): try lineFeed(byte, dataState(size))
        case .dataEnd: byte == .carriageReturn ? .dataLineFeed : try lineFeed(byte, .size(digits: 0, value: 0))
        case .dataLineFeed: try lineFeed(byte, .size(digits: 0, value: 0))
        case .trailerStart:
            switch byte {
            case .carriageReturn: .lastLineFeed
            case .lineFeed: .complete
            default: .trailer
            }
        case .trailer: byte == .lineFeed ? .trailerStart : .trailer
        case .lastLineFeed: try lineFeed(byte, .complete)
        case .data, .complete: state
        }
    }

    private static func sizeState(after byte: UInt8, digits: Int, value: Int64) throws(ChunkFault) -> State {
        guard let digit = byte.hexValue else {
            guard digits > 0 else { throw .invalidSize }
            return try lineState(after: byte, size: value)
        }
        let (sixteenfold, overflows) = value.multipliedReportingOverflow(by: 16)
        // Endless leading zeros would be possible. Accept as many digits as a 64-bit size has.
        guard !overflows, digits < 16 else { throw .invalidSize }
        return .size(digits: digits + 1, value: sixteenfold + Int64(digit))
    }

    /// After the digits of a size.
    private static func lineState(after byte: UInt8, size: Int64) throws(ChunkFault) -> State {
        switch byte {
        case .carriageReturn: .sizeLineFeed(size: size)
        case .lineFeed: dataState(size)
        case _ where byte.isBlank: .blanks(size: size)
        case .semicolon: .chunkExtension(size: size)
        default: throw .invalidSize
        }
    }

    private static func dataState(_ size: Int64) -> State {
        size == 0 ? .trailerStart : .data(left: size)
    }

    private static func lineFeed(_ byte: UInt8, _ next: State) throws(ChunkFault) -> State {
        guard byte == .lineFeed else { throw .missingLineEnd }
        return next
    }
}

/// Why a chunked body cannot be decoded.
package enum ChunkFault: Error, Hashable, Sendable {
    case invalidSize
    /// A size line or a chunk does not end with a line end.
    case missingLineEnd
    /// Extensions or trailers exceed the limit.
    case tooMuchOverhead
}

extension UInt8 {
    fileprivate static let carriageReturn = UInt8(ascii: "\r")
    fileprivate static let lineFeed = UInt8(ascii: "\n")
    fileprivate static let semicolon = UInt8(ascii: ";")
}
