import Glibc
import SpateFileSystemCalls
package import SpateHTTPSyntax

/// The names of the partial file, the sidecars and the journals.
extension FileName {
    static let partialSuffix = ".part"

    /// The name of the partial file.
    package var partial: String { String(joining: text, Self.partialSuffix) }

    /// The name of the partial file if `partial` is taken.
    package func partial(of origin: HTTPURL) -> String {
        String(joining: text, ".", URLHash(origin).digits8, Self.partialSuffix)
    }

    /// The name of the second partial file, in which a mirror starts from zero while the origin's part stays.
    package func mirrorPartial(of origin: HTTPURL) -> String {
        String(joining: text, ".", Self.mirrorDigits(of: origin), Self.partialSuffix)
    }

    private static func mirrorDigits(of origin: HTTPURL) -> String { URLHash(text: origin.text + " mirror").digits8 }

    /// The names that the partial files of `origin` may have, the usual one first.
    package func partials(of origin: HTTPURL) -> [String] {
        [partial, partial(of: origin), mirrorPartial(of: origin)]
    }

    /// The final name of a partial file of `origin`: the reverse of `partials(of:)`.
    package init?(ofPartial name: String, origin: HTTPURL) {
        guard Self.isPartial(name) else { return nil }
        let own = [URLHash(origin).digits8, Self.mirrorDigits(of: origin)].map { "." + $0 + Self.partialSuffix }
        // By bytes: in some scripts, a character and a following dot are one Character.
        let suffix = own.first { name.utf8.suffix($0.utf8.count).elementsEqual($0.utf8) } ?? Self.partialSuffix
        guard let final = Self.final(of: name, without: suffix) else { return nil }
        // A derived name may end in the URL's own hash. If the caller chose such a name, we cannot know.
        if suffix != Self.partialSuffix, let longer = Self.final(of: name, without: Self.partialSuffix),
            FileNaming.derived.candidates(for: origin).contains(longer)
        {
            self = longer
        } else {
            self = final
        }
    }

    private static func final(of partial: String, without suffix: String) -> FileName? {
        guard let text = String(partial.utf8.dropLast(suffix.utf8.count)), flaw(of: text) == nil else { return nil }
        return FileName(safe: text)
    }

    // Some file systems ignore case, so these checks do, too.

    package static func isPartial(_ name: String) -> Bool {
        name.hasASCIISuffix(partialSuffix)
    }

    /// The file that holds the record of `name` if the file system has no attributes.
    package static func sidecar(of name: String) -> String { "." + name + ".spate" }

    /// The file of the sidecar with this name; nil if this is no sidecar's name.
    static func described(by name: String) -> String? {
        guard name.utf8.first == UInt8(ascii: ".") else { return nil }
        for suffix in [".spate", ".spate.tmp"] where name.hasASCIISuffix(suffix) {
            return String(name.utf8.dropFirst().dropLast(suffix.utf8.count))
        }
        return nil
    }

    /// A sidecar is written under this name, then renamed.
    package static func unfinishedSidecar(of name: String) -> String { sidecar(of: name) + ".tmp" }

    /// Whether it is the name of a sidecar, or may be a journal's or a mark's. No download gets such a name.
    package static func isSidecar(_ name: String) -> Bool {
        guard name.utf8.first == UInt8(ascii: ".") else { return false }
        return name.hasASCIISuffix(".spate") || name.hasASCIISuffix(".spate.tmp")
            || name.prefix(journalPrefix.utf8.count).lowercased() == journalPrefix
            || name.lowercased() == folderMark
    }

    /// A file that marks a folder for downloads, if the file system has no attributes.
    static let folderMark = ".spate-folder"

    // MARK: Journals

    /// What the name of a journal begins with.
    package static let journalPrefix = ".spate-queue-"

    package static func isJournal(_ name: String) -> Bool {
        guard name.hasPrefix(journalPrefix) else { return false }
        let parts = name.dropFirst(journalPrefix.count).utf8.split(
            separator: UInt8(ascii: "-"),
            omittingEmptySubsequences: false
        )
        return parts.count == 2
            && parts.allSatisfy { part in
                part.count == 16 && part.allSatisfy { $0 < 0x80 && Character(Unicode.Scalar($0)).isHexDigit }
            }
    }
}

extension String {
    /// Whether it ends in `suffix` (lower-case ASCII), in either case.
    func hasASCIISuffix(_ suffix: String) -> Bool {
        let (bytes, wanted) = (utf8.span, suffix.utf8.span)
        guard bytes.count >= wanted.count else { return false }
        for index in wanted.indices {
            let byte = bytes[bytes.count - wanted.count + index]
            guard byte == wanted[index] || ((0x41...0x5A).contains(byte) && byte | 0x20 == wanted[index]) else {
                return false
            }
        }
        return true
    }
}
