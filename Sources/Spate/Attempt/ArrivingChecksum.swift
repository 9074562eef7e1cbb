import SpatePartialFiles

/// The checksum that an attempt's file must have, if any, and its computation while the bytes arrive.
struct ArrivingChecksum {
    private(set) var expected: ExpectedChecksum?
    private(set) var digest: FrontDigest?

    /// From now on the file must have this checksum. Ignores a server's checksum that cannot be computed.
    mutating func expect(_ expected: ExpectedChecksum?, of file: PartialFile, by library: DigestLibrary) {
        guard let expected, library.computes(expected.checksum.algorithm) || expected.field == nil else {
            self = ArrivingChecksum()
            return
        }
        if self.expected?.checksum.algorithm != expected.checksum.algorithm {
            digest = FrontDigest(expected.checksum.algorithm, by: library, of: file)
        }
        self.expected = expected
    }
}
