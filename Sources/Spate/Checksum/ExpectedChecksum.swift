import SpateHTTPSyntax

/// The checksum that a complete file must have, and its source.
struct ExpectedChecksum {
    let checksum: Checksum
    /// The server's header field; `nil` if the caller gave the checksum.
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
