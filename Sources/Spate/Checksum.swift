/// The digest that a file must have.
///
/// Its text form has the algorithm before the colon: `sha256:2c26b46b…`. It is encoded as that text.
public struct Checksum: Sendable, Hashable, Codable, CustomStringConvertible {
    /// How a digest is computed. All need OpenSSL's libcrypto on the machine, except ``sha256``.
    ///
    /// MD5 and SHA-1 reveal damage, but not a forgery: prefer SHA-256 or SHA-512.
    public enum Algorithm: String, Sendable, Codable, CaseIterable {
        /// MD5, of 32 hexadecimal digits.
        case md5
        /// SHA-1, of 40 hexadecimal digits.
        case sha1
        /// SHA-256, of 64 hexadecimal digits.
        case sha256
        /// SHA-512, of 128 hexadecimal digits.
        case sha512
    }

    /// How the digest is computed.
    public let algorithm: Algorithm
    /// The digest in hexadecimal digits, in lower case.
    public let hexadecimal: String

    /// Creates a checksum from the hexadecimal digits of a digest. Their letter case is ignored.
    ///
    /// - Throws: a ``DownloadError`` with the code `badChecksum` if it is not a digest of this algorithm.
    public init(_ algorithm: Algorithm, _ hexadecimal: String) throws(DownloadError) {
        guard hexadecimal.utf8.count == algorithm.digitCount, Self.isHexadecimal(hexadecimal) else {
            throw .badDigest(hexadecimal, of: algorithm)
        }
        self.algorithm = algorithm
        self.hexadecimal = hexadecimal.lowercased()
    }

    /// Creates a checksum from its text form, such as `sha256:2c26b46b…`. Letter case is ignored.
    ///
    /// - Throws: a ``DownloadError`` with the code `badChecksum` if the text has another form.
    public init(_ text: String) throws(DownloadError) {
        let parts = text.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
        guard parts.count == 2, let algorithm = Algorithm(rawValue: parts[0].lowercased()) else {
            throw .badChecksum(text)
        }
        try self.init(algorithm, String(parts[1]))
    }

    /// - Parameter digest: as many bytes as the algorithm's digests have.
    init(_ algorithm: Algorithm, digest: [UInt8]) {
        self.algorithm = algorithm
        hexadecimal = digest.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
    }

    static func isHexadecimal(_ text: String) -> Bool {
        text.utf8.allSatisfy { Character(Unicode.Scalar($0)).isHexDigit }
    }

    /// The text form, in lower case.
    public var description: String { "\(algorithm.rawValue):\(hexadecimal)" }

    public init(from decoder: any Decoder) throws {
        let value = try decoder.singleValueContainer()
        let text = try value.decode(String.self)
        do throws(DownloadError) {
            try self.init(text)
        } catch {
            throw DecodingError.dataCorruptedError(in: value, debugDescription: error.message)
        }
    }

    public func encode(to encoder: any Encoder) throws {
        var value = encoder.singleValueContainer()
        try value.encode(description)
    }
}

extension Checksum.Algorithm {
    /// How many hexadecimal digits a digest has.
    var digitCount: Int {
        switch self {
        case .md5: 32
        case .sha1: 40
        case .sha256: 64
        case .sha512: 128
        }
    }

    var article: String { self == .md5 ? "an" : "a" }

    /// The name in its standard.
    var standardName: String {
        switch self {
        case .md5: "MD5"
        case .sha1: "SHA-1"
        case .sha256: "SHA-256"
        case .sha512: "SHA-512"
        }
    }
}
