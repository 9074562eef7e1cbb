/// The checksum of a request as given. A `sha256` text is checked later.
enum GivenChecksum: Sendable, Hashable {
    case checksum(Checksum)
    /// A text that is not a SHA-256. The request is rejected.
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
