import SpateFileSystemCalls

/// A digest that is computed piece by piece.
package protocol Digest {
    mutating func update(_ bytes: UnsafeRawBufferPointer)

    /// The digest; nil if it could not be computed. Add nothing after it.
    mutating func finish() -> [UInt8]?
}

extension Digest {
    /// Adds a range of a file, read in pieces. Returns false once `goesOn` is false. Slow for large files: do not call
    /// it on the transport's threads.
    mutating func read(
        _ file: OpenFile,
        _ range: Range<Int64>,
        while goesOn: () -> Bool
    ) throws(FileSystemError) -> Bool {
        let buffer = UnsafeMutableRawBufferPointer.allocate(
            byteCount: min(1 << 18, max(1, range.count)),
            alignment: 4096
        )
        defer { buffer.deallocate() }
        var offset = range.lowerBound
        while offset < range.upperBound {
            guard goesOn() else { return false }
            let wanted = UnsafeMutableRawBufferPointer(
                rebasing: buffer.prefix(Int(clamping: range.upperBound - offset))
            )
            let count = try file.read(into: wanted, at: offset)
            guard count > 0 else { break }
            update(UnsafeRawBufferPointer(rebasing: buffer[..<count]))
            offset += Int64(count)
        }
        return true
    }
}
