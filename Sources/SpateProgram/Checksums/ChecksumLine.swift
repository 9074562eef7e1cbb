import Spate
import SpateConsole
import SpateFilePaths

/// A line of a checksum list, as sha256sum(1) writes it: `HEX  NAME` or `HEX *NAME`, or with `--tag`
/// `SHA256 (NAME) = HEX`. After a leading backslash, backslashes in the name are doubled.
struct ChecksumLine: Hashable {
    let checksum: Checksum
    let name: String
    /// The parts of the name between slashes.
    let path: [FilePath]

    /// - Throws: an error that shows the expected form.
    init(_ line: String) throws(UsageError) {
        let isEscaped = line.hasPrefix("\\")
        let text = isEscaped ? line.dropFirst() : line[...]
        guard let (checksum, name) = Self.plain(text) ?? Self.tagged(text), !name.isEmpty else {
            throw UsageError(
                .checksumLine,
                "\(PlainText.quoted(line)) is not a checksum and a name; write HEX  NAME or SHA256 (NAME) = HEX, with the "
                    + "32, 40, 64 or 128 digits of an MD5, SHA-1, SHA-256 or SHA-512"
            )
        }
        self.checksum = checksum
        self.name = isEscaped ? String(name.replacing("\\\\", with: "\\")) : String(name)
        path = FilePath(self.name).parts
    }

    private static func plain(_ text: Substring) -> (Checksum, Substring)? {
        // By bytes: a mark at the start of a name is one Character with the blank before it.
        let end = text.utf8.firstIndex(where: isBlank) ?? text.endIndex
        guard let checksum = checksum(text[..<end]) else { return nil }
        let name = text.utf8[end...].dropFirst()
        let hasMark = name.first.map { isBlank($0) || $0 == UInt8(ascii: "*") } ?? false
        return (checksum, Substring(hasMark ? name.dropFirst() : name))
    }

    private static func tagged(_ text: Substring) -> (Checksum, Substring)? {
        let bytes = text.utf8
        guard let start = bytes.firstIndex(of: UInt8(ascii: "(")), let end = bytes.lastIndex(of: UInt8(ascii: ")")),
            start < end
        else { return nil }
        // OpenSSL writes SHA2-256(NAME)= HEX.
        let tag = text[..<start].trimmingSpaces.lowercased().replacing("sha2-", with: "sha")
        let value = text[bytes.index(after: end)...].trimmingSpaces
        guard value.hasPrefix("="), let checksum = checksum(value.dropFirst().trimmingSpaces[...]),
            checksum.algorithm.rawValue == tag
        else { return nil }
        return (checksum, text[bytes.index(after: start)..<end])
    }

    /// The algorithm follows from the length.
    private static func checksum(_ digest: Substring) -> Checksum? {
        Checksum.Algorithm.allCases.lazy.compactMap { try? Checksum($0, String(digest)) }.first
    }

    private static func isBlank(_ byte: UInt8) -> Bool { byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\t") }
}
