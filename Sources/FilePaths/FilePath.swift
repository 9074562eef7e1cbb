import Glibc

/// A path, or the name of a file in a folder, which is a path of one part: bytes, as for Linux.
///
/// As `String`s, two names are equal if they look the same, such as `é` as one scalar and as two; Linux has two files.
/// And a mark after a slash or a dot is one `Character` with it, so that nobody finds the slash. Therefore no name is
/// compared, hashed, sorted or searched as a `String`.
package struct FilePath: Hashable, Comparable, Sendable, CustomStringConvertible, ExpressibleByStringInterpolation {
    package let text: String

    package init(_ text: String) {
        self.text = text
    }

    package init(stringLiteral text: String) {
        self.text = text
    }

    package var description: String { text }

    package var bytes: String.UTF8View { text.utf8 }

    package static func == (left: FilePath, right: FilePath) -> Bool {
        left.text.utf8.count == right.text.utf8.count && left.order(to: right) == 0
    }

    package static func < (left: FilePath, right: FilePath) -> Bool {
        let order = left.order(to: right)
        return order == 0 ? left.text.utf8.count < right.text.utf8.count : order < 0
    }

    /// The order of the bytes that both have, as `memcmp` gives it.
    private func order(to other: FilePath) -> CInt {
        text.utf8.span.withUnsafeBytes { bytes in
            other.text.utf8.span.withUnsafeBytes { others in
                guard let start = bytes.baseAddress, let otherStart = others.baseAddress else { return 0 }
                return memcmp(start, otherStart, min(bytes.count, others.count))
            }
        }
    }

    package func hash(into hasher: inout Hasher) {
        text.utf8.span.withUnsafeBytes { hasher.combine(bytes: $0) }
        // As the last byte, so that the next value begins after it. No text has it.
        hasher.combine(0xFF as UInt8)
    }
}

/// The parts between slashes.
extension FilePath {
    private static let slash = UInt8(ascii: "/")

    /// The path of a name in this folder.
    package func appending(_ name: FilePath) -> FilePath {
        FilePath(String(joining: text, bytes.last == Self.slash ? "" : "/", name.text))
    }

    /// The path of the folder above; nil for the root and for a single name.
    package var parent: FilePath? {
        let end = bytes.lastIndex { $0 != Self.slash } ?? bytes.startIndex
        guard let slash = bytes[..<end].lastIndex(of: Self.slash) else { return nil }
        return slash == bytes.startIndex ? "/" : FilePath(String(text[..<slash]))
    }

    /// What follows the last slash.
    package var lastName: FilePath {
        bytes.lastIndex(of: Self.slash).map { FilePath(String(text[bytes.index(after: $0)...])) } ?? self
    }

    /// All names, also the empty ones between two slashes.
    package var names: [FilePath] {
        bytes.split(separator: Self.slash, omittingEmptySubsequences: false).map { FilePath(String(Substring($0))) }
    }

    /// The path from a folder to here; nil if this is not in the folder.
    package func below(_ folder: FilePath) -> FilePath? {
        let start = folder.bytes.last == Self.slash ? folder.text : folder.text + "/"
        guard bytes.starts(with: start.utf8) else { return nil }
        return FilePath(String(Substring(bytes.dropFirst(start.utf8.count))))
    }
}
