import SpateFileSystemCalls
import SpateHTTPResumption
import SpatePartialFiles

/// Writes one accepted body to its place in the file. Compares overlapping bytes first.
struct BodyWriter {
    /// Why writing stopped.
    enum Fault: Error {
        /// The bytes differ from those of another response: this is another file, or one of the two responses sent
        /// another range.
        case differs
        /// More bytes arrived than the caller accepts.
        case tooLarge(limit: Int64)
        /// The body announced no length, and is longer than the caller expects.
        case moreThanExpected(Int64)
        /// All announced bytes have been written, but the body continues.
        case surplus
        case disk(FileSystemError)
    }

    private let file: PartialFile
    private let limit: Int64
    private let startsOver: Bool
    /// Where comparing ends and writing begins.
    private let writtenFrom: Int64
    /// Where the announced body ends.
    private let end: Int64?
    /// The size of the whole file, if known.
    private let total: Int64?
    /// Where the next byte of the body belongs.
    private(set) var position: Int64
    /// The filled ranges at the start, or after the last write.
    private(set) var filled: FilledRanges

    init(_ body: AcceptedBody, _ file: PartialFile, _ filled: FilledRanges, _ limits: ResponseLimits) {
        (self.file, self.filled, limit) = (file, filled, limits.maximumBytes ?? .max)
        (startsOver, writtenFrom) = (body.startsOver, body.offset + body.comparing)
        (end, total, position) = (body.end, body.total, body.offset)
    }

    /// How far it got.
    var body: Connection.Body {
        let hasKnownEnd = (end ?? total) != nil
        return Connection.Body(position: position, isWhole: isWhole, hasKnownEnd: hasKnownEnd, startsOver: startsOver)
    }

    var isComparing: Bool { position < writtenFrom }

    /// How much of the file is on disk.
    var reached: Int64 { max(position, writtenFrom) }

    /// Whether the announced body is complete. Without an announced length, the caller's expected size counts.
    var isWhole: Bool {
        guard let end = end ?? total else { return position >= writtenFrom }
        return position == end
    }

    /// Writes the next bytes of the body.
    mutating func write(_ bytes: UnsafeRawBufferPointer, isLast: Bool = false) throws(Fault) {
        var (bytes, excess) = (bytes, Fault?.none)
        if let end, Int64(bytes.count) > end - position {
            // libcurl ends a body at its Content-Length, so this body has none and may never end. Bytes after the
            // announced length are not part of the file.
            bytes = UnsafeRawBufferPointer(rebasing: bytes.prefix(Int(end - position)))
            excess = .surplus
        }
        if position < writtenFrom {
            let overlap = UnsafeRawBufferPointer(rebasing: bytes.prefix(Int(clamping: writtenFrom - position)))
            try compare(overlap)
            bytes = UnsafeRawBufferPointer(rebasing: bytes.dropFirst(overlap.count))
        }
        if !bytes.isEmpty {
            guard Int64(bytes.count) <= limit - position else { throw .tooLarge(limit: limit) }
            if end == nil, let total, Int64(bytes.count) > total - position {
                bytes = UnsafeRawBufferPointer(rebasing: bytes.prefix(Int(total - position)))
                excess = .moreThanExpected(total)
            }
            let filled: FilledRanges?
            do throws(FileSystemError) {
                filled = try file.write(bytes, at: position, isLast: isLast)
            } catch {
                throw .disk(error)
            }
            guard let filled else { throw .differs }
            self.filled = filled
            position += Int64(bytes.count)
        }
        if let excess { throw excess }
    }

    private mutating func compare(_ overlap: UnsafeRawBufferPointer) throws(Fault) {
        let agrees: Bool
        do throws(FileSystemError) {
            agrees = try file.compare(overlap, at: position)
        } catch {
            throw .disk(error)
        }
        guard agrees else { throw .differs }
        position += Int64(overlap.count)
    }
}
