/// The checksum of a request as it was given: checked later, if it was given as `sha256`.
enum GivenChecksum: Sendable, Hashable {
    case checksum(Checksum)
    /// A text that is not a SHA-256. Its request is refused.
    case invalid(String)

    init(sha256 text: String) {
        self = (try? Checksum(.sha256, text)).map(Self.checksum) ?? .invalid(text)
    }

    var checksum: Checksum? {
        if case .checksum(let checksum) = self { checksum } else { nil }
    }

    var sha256: String? {
        switch self {
        case .checksum(let checksum): checksum.algorithm == .sha256 ? checksum.hexadecimal : nil
        case .invalid(let text): text
        }
    }
}
