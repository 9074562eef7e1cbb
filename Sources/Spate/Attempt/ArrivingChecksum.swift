import PartialFiles

/// The checksum that the file of an attempt must have, if any, and what computes it while the bytes arrive.
struct ArrivingChecksum {
    private(set) var expected: ExpectedChecksum?
    private(set) var digest: FrontDigest?

    /// From now on the file must have this one. A server's is of no account where it cannot be computed.
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
