import SpateHTTPResumption

/// Bytes that one request has received in the part of another. Where both parts meet, the bytes must be equal.
struct ExpectedBytes {
    let offset: Int64
    let bytes: [UInt8]

    var range: Range<Int64> { offset..<offset + Int64(bytes.count) }

    /// Whether bytes at `position` equal these where they overlap.
    func agree(with other: UnsafeRawBufferPointer, at position: Int64) -> Bool {
        let common = range.clamped(to: position..<position + Int64(other.count))
        if common.isEmpty { return true }
        return bytes.withUnsafeBytes { bytes in
            let ours = bytes[Int(common.lowerBound - offset)..<Int(common.upperBound - offset)]
            let theirs = other[Int(common.lowerBound - position)..<Int(common.upperBound - position)]
            return ours.elementsEqual(theirs)
        }
    }
}

extension PartialFile.State {
    /// The expected bytes of a range that has just been filled. Completely filled expectations are dropped.
    mutating func takeExpected(in range: Range<Int64>) -> [ExpectedBytes] {
        if expected.isEmpty { return [] }
        let found = expected.filter { $0.range.overlaps(range) }
        expected.removeAll { filled.firstGap(in: $0.range) == nil }
        return found
    }
}
