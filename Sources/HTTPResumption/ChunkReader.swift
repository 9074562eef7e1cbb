/// Takes a body out of the chunks that it came in (RFC 9112, section 7.1).
///
/// libcurl could do it, and takes any line that begins with a digit for a size: `0x64` is its end of the file. Where
/// a message ends decides over what is published, so it is read here, to the letter: a size is hexadecimal digits and
/// nothing else. Blanks after it, which some servers pad it with, and a bare LF for a line's end change no number and
/// are taken.
package struct ChunkReader: Sendable {
    /// How many bytes may come between two of the body's: extensions, trailers.
    private let overheadLimit: Int
    private var state = State.size(digits: 0, value: 0)
    /// What came since the last byte of the body that is none.
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

    /// Whether the last chunk has come, and the trailers' end.
    package var isComplete: Bool {
        if case .complete = state { true } else { false }
    }

    /// Takes bytes from the front until some of them are the body's, and returns these; `nil` when there are none
    /// left, or when they come after the end.
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
            guard overhead <= overheadLimit else { throw .tooMuchBetween }
            state = try Self.state(after: byte, in: state)
        }
        return nil
    }

    private static func state(after byte: UInt8, in state: State) throws(ChunkFault) -> State {
        switch state {
        case .size(let digits, let value): try sizeState(after: byte, digits: digits, value: value)
        case .blanks(let size): try lineState(after: byte, size: size)
        case .chunkExtension(let size): byte == .lineFeed ? begin(size) : state
        case .sizeLineFeed(let size): try lineFeed(byte, begin(size))
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
            guard digits > 0 else { throw .noSize }
            return try lineState(after: byte, size: value)
        }
        let (sixteenfold, overflows) = value.multipliedReportingOverflow(by: 16)
        // Zeros in front are of no end: as many as a size of 64 bits has, and no more.
        guard !overflows, digits < 16 else { throw .noSize }
        return .size(digits: digits + 1, value: sixteenfold + Int64(digit))
    }

    /// After the digits of a size.
    private static func lineState(after byte: UInt8, size: Int64) throws(ChunkFault) -> State {
        switch byte {
        case .carriageReturn: .sizeLineFeed(size: size)
        case .lineFeed: begin(size)
        case _ where byte.isBlank: .blanks(size: size)
        case .semicolon: .chunkExtension(size: size)
        default: throw .noSize
        }
    }

    private static func begin(_ size: Int64) -> State {
        size == 0 ? .trailerStart : .data(left: size)
    }

    private static func lineFeed(_ byte: UInt8, _ next: State) throws(ChunkFault) -> State {
        guard byte == .lineFeed else { throw .noLineEnd }
        return next
    }
}

extension UInt8 {
    fileprivate static let carriageReturn = UInt8(ascii: "\r")
    fileprivate static let lineFeed = UInt8(ascii: "\n")
    fileprivate static let semicolon = UInt8(ascii: ";")
}
