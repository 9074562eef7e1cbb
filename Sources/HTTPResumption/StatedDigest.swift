/// A digest of the whole file, as it is stored, that a response states beside it.
package struct StatedDigest: Hashable, Sendable {
    /// With the name that Repr-Digest has for it, the best first.
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
    /// The name of the field that states it.
    package let field: String

    /// Asks for one.
    package static let wanted = (name: "Want-Repr-Digest", value: "sha-256=10, sha-512=5, md5=1")

    /// `nil` if the response states none, or if what it states may be about other bytes than those that are stored. An
    /// ETag is no digest, whatever it looks like.
    package init?(head: ResponseHead) {
        let stated = head.fields.members(of: "repr-digest")
        for algorithm in Algorithm.allCases where !stated.isEmpty {
            let texts = Self.values(of: algorithm.rawValue, in: stated)
            guard !texts.isEmpty else { continue }
            // Between colons, as a structured field has bytes.
            guard let text = Self.common(texts), text.utf8.count > 2, text.hasPrefix(":"), text.hasSuffix(":") else {
                return nil
            }
            self.init(algorithm, base64: text.dropFirst().dropLast(), field: "Repr-Digest")
            return
        }
        let googles = Self.values(of: Algorithm.md5.rawValue, in: head.fields.members(of: "x-goog-hash"))
        if let text = Self.common(googles), !Self.isTranscoded(head) {
            self.init(.md5, base64: text[...], field: "x-goog-hash")
        } else if head.status == 200, let text = Self.common(head.fields.values(of: "content-md5")) {
            self.init(.md5, base64: text[...], field: "Content-MD5")
        } else {
            return nil
        }
    }

    private init?(_ algorithm: Algorithm, base64 text: Substring, field: String) {
        guard let bytes = Self.bytes(base64: text), bytes.count == algorithm.length else { return nil }
        (self.algorithm, self.bytes, self.field) = (algorithm, bytes, field)
    }

    /// The values of all members `NAME=VALUE`.
    private static func values(of name: String, in members: [String]) -> [String] {
        members.compactMap { member in
            let parts = member.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            return parts.count == 2 && parts[0].lowercased() == name ? String(parts[1]) : nil
        }
    }

    /// The only value; `nil` if there is none, or if there are several that differ.
    private static func common(_ texts: [String]) -> String? {
        texts.allSatisfy { $0 == texts.first } ? texts.first : nil
    }

    /// Google's storage can send a file in another coding than it is stored in; its hash is of the stored one.
    private static func isTranscoded(_ head: ResponseHead) -> Bool {
        let stored = head.fields.first(of: "x-goog-stored-content-encoding")?.lowercased() ?? "identity"
        return stored != head.contentEncoding ?? "identity"
    }

    /// Strict, with its padding.
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
