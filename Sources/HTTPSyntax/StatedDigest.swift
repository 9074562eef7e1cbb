/// A digest of the whole stored file, as a response states it.
package struct StatedDigest: Hashable, Sendable {
    /// The field with the digest.
    package enum Field: String, CaseIterable, Sendable {
        case reprDigest = "Repr-Digest"
        case digest = "Digest"
        case googleHash = "x-goog-hash"
        case contentMD5 = "Content-MD5"
    }

    /// Named as in Repr-Digest, best first.
    package enum Algorithm: String, CaseIterable, Sendable {
        case sha256 = "sha-256"
        case sha512 = "sha-512"
        case sha1 = "sha"
        case md5

        var length: Int {
            switch self {
            case .sha256: 32
            case .sha512: 64
            case .sha1: 20
            case .md5: 16
            }
        }
    }

    package let algorithm: Algorithm
    package let bytes: [UInt8]
    package let field: Field

    /// The request header that asks for a digest.
    package static let wanted = (name: "Want-Repr-Digest", value: "sha-256=10, sha-512=5, md5=1")

    /// `nil` if the response states no digest, or if its digest may cover other bytes than the stored ones. An ETag is
    /// not a digest, even if it looks like one.
    package init?(head: ResponseHead) {
        let fields = head.fields
        if fields.first(of: "repr-digest") != nil {
            self.init(listedIn: .reprDigest, of: head)
        } else if head.status == 200, fields.first(of: "digest") != nil, head.contentEncoding == nil {
            // Many servers digest the message: a part, or the bytes before they encode them.
            self.init(listedIn: .digest, of: head)
        } else if fields.first(of: "x-goog-hash") != nil, !Self.isTranscoded(head),
            let text = Self.common(Self.values(of: Algorithm.md5.rawValue, in: fields.members(of: "x-goog-hash")))
        {
            self.init(.md5, base64: text[...], field: .googleHash)
        } else if head.status == 200, let text = Self.common(fields.values(of: "content-md5")) {
            self.init(.md5, base64: text[...], field: .contentMD5)
        } else {
            return nil
        }
    }

    /// The best digest of a list `NAME=VALUE, …`.
    private init?(listedIn field: Field, of head: ResponseHead) {
        let members = head.fields.members(of: field.rawValue)
        for algorithm in Algorithm.allCases {
            let texts = Self.values(of: algorithm.rawValue, in: members)
            guard !texts.isEmpty else { continue }
            guard var text = Self.common(texts)?[...] else { return nil }
            if field == .reprDigest {
                // A structured field puts bytes between colons.
                guard text.utf8.count > 2, text.hasPrefix(":"), text.hasSuffix(":") else { return nil }
                text = text.dropFirst().dropLast()
            }
            self.init(algorithm, base64: text, field: field)
            return
        }
        return nil
    }

    private init?(_ algorithm: Algorithm, base64 text: Substring, field: Field) {
        guard let bytes = Self.bytes(base64: text), bytes.count == algorithm.length else { return nil }
        (self.algorithm, self.bytes, self.field) = (algorithm, bytes, field)
    }

    /// Reads back `storedText`, which may be forged.
    package init?(stored text: String) {
        let parts = text.split(separator: " ", omittingEmptySubsequences: false)
        guard parts.count == 3, let field = Field(rawValue: String(parts[0])),
            let algorithm = Algorithm(rawValue: String(parts[1]))
        else { return nil }
        self.init(algorithm, base64: parts[2], field: field)
    }

    /// Such as `Repr-Digest sha-256 47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=`.
    package var storedText: String { "\(field.rawValue) \(algorithm.rawValue) \(Self.base64(bytes))" }

    /// Whether the two digests prove different bytes.
    package func contradicts(_ other: StatedDigest) -> Bool { algorithm == other.algorithm && bytes != other.bytes }

    /// The values of all members `NAME=VALUE`.
    private static func values(of name: String, in members: [String]) -> [String] {
        members.compactMap { member in
            let parts = member.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            return parts.count == 2 && parts[0].lowercased() == name ? String(parts[1]) : nil
        }
    }

    /// The only value; `nil` if there is none, or if the values differ.
    private static func common(_ texts: [String]) -> String? {
        texts.allSatisfy { $0 == texts.first } ? texts.first : nil
    }

    /// Google's storage can decode a stored file before sending it. Its hash covers the stored bytes.
    private static func isTranscoded(_ head: ResponseHead) -> Bool {
        let stored = head.fields.first(of: "x-goog-stored-content-encoding")?.lowercased() ?? "identity"
        return stored != head.contentEncoding ?? "identity"
    }

    private static let digits = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/")

    private static func base64(_ bytes: [UInt8]) -> String {
        var text = ""
        for start in stride(from: 0, to: bytes.count, by: 3) {
            let group = bytes[start..<min(start + 3, bytes.count)]
            let word = group.reduce(0) { $0 << 8 | Int($1) } << (8 * (3 - group.count))
            for index in 0..<4 { text.append(index <= group.count ? digits[word >> (18 - 6 * index) & 63] : "=") }
        }
        return text
    }

    /// Strict, with padding.
    private static func bytes(base64 text: Substring) -> [UInt8]? {
        guard text.utf8.count % 4 == 0 else { return nil }
        let digits = text.utf8.reversed().drop { $0 == UInt8(ascii: "=") }.reversed()
        guard text.utf8.count - digits.count <= 2 else { return nil }
        var (bytes, word, bits): ([UInt8], UInt32, Int) = ([], 0, 0)
        for digit in digits {
            let value: UInt8
            switch digit {
            case UInt8(ascii: "A")...UInt8(ascii: "Z"): value = digit - UInt8(ascii: "A")
            case UInt8(ascii: "a")...UInt8(ascii: "z"): value = digit - UInt8(ascii: "a") + 26
            case UInt8(ascii: "0")...UInt8(ascii: "9"): value = digit - UInt8(ascii: "0") + 52
            case UInt8(ascii: "+"): value = 62
            case UInt8(ascii: "/"): value = 63
            default: return nil
            }
            word = word << 6 | UInt32(value)
            bits += 6
            if bits >= 8 {
                bits -= 8
                bytes.append(UInt8(truncatingIfNeeded: word >> UInt32(bits)))
            }
        }
        return bytes
    }
}
