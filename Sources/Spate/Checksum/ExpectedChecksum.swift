import HTTPSyntax

/// The checksum that a complete file must have, and who says so.
struct ExpectedChecksum {
    let checksum: Checksum
    /// The header field by which the server says it; `nil` if the caller does.
    let field: String?

    init(_ checksum: Checksum) {
        self.checksum = checksum
        field = nil
    }

    init(_ stated: StatedDigest) {
        let algorithm: Checksum.Algorithm =
            switch stated.algorithm {
            case .sha256: .sha256
            case .sha512: .sha512
            case .sha1: .sha1
            case .md5: .md5
            }
        checksum = Checksum(algorithm, digest: stated.bytes)
        field = stated.field.rawValue
    }
}
