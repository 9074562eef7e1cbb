package import SpateFilePaths
package import SpateHTTPSyntax

/// The names of the partial file, the sidecars and the journals.
extension FileName {
    static let partialSuffix = ".part"

    /// The name of the partial file.
    package var partial: FilePath { FilePath(String(joining: text, Self.partialSuffix)) }

    /// The name of the partial file if `partial` is taken.
    package func partial(of origin: HTTPURL) -> FilePath {
        FilePath(String(joining: text, ".", URLHash(origin).digits8, Self.partialSuffix))
    }

    /// The name of the second partial file, in which a mirror starts from zero while the origin's part stays.
    package func mirrorPartial(of origin: HTTPURL) -> FilePath {
        FilePath(String(joining: text, ".", Self.mirrorDigits(of: origin), Self.partialSuffix))
    }

    private static func mirrorDigits(of origin: HTTPURL) -> String { URLHash(text: origin.text + " mirror").digits8 }

    /// The names that the partial files of `origin` may have, the usual one first.
    package func partials(of origin: HTTPURL) -> [FilePath] {
        [partial, partial(of: origin), mirrorPartial(of: origin)]
    }

    /// The final name of a partial file of `origin`: the reverse of `partials(of:)`.
    package init?(ofPartial name: FilePath, origin: HTTPURL) {
        guard Self.isPartial(name) else { return nil }
        let own = [URLHash(origin).digits8, Self.mirrorDigits(of: origin)].map { "." + $0 + Self.partialSuffix }
        let suffix = own.first { name.bytes.suffix($0.utf8.count).elementsEqual($0.utf8) } ?? Self.partialSuffix
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

    private static func final(of partial: FilePath, without suffix: String) -> FileName? {
        guard let text = String(partial.bytes.dropLast(suffix.utf8.count)), flaw(of: text) == nil else { return nil }
        return FileName(safe: text)
    }

    // Some file systems ignore case, so these checks do, too.

    package static func isPartial(_ name: FilePath) -> Bool {
        name.hasASCIISuffix(partialSuffix)
    }

    /// The file that holds the record of `name` if the file system has no attributes.
    package static func sidecar(of name: FilePath) -> FilePath { FilePath("." + name.text + ".spate") }

    /// The file of the sidecar with this name; nil if this is no sidecar's name.
    static func described(by name: FilePath) -> FilePath? {
        guard name.bytes.first == UInt8(ascii: ".") else { return nil }
        for suffix in [".spate", ".spate.tmp"] where name.hasASCIISuffix(suffix) {
            return String(name.bytes.dropFirst().dropLast(suffix.utf8.count)).map { FilePath($0) }
        }
        return nil
    }

    /// A sidecar is written under this name, then renamed.
    package static func unfinishedSidecar(of name: FilePath) -> FilePath { FilePath("." + name.text + ".spate.tmp") }

    /// Whether it is the name of a sidecar, or may be a journal's or a mark's. No download gets such a name.
    package static func isSidecar(_ name: FilePath) -> Bool {
        guard name.bytes.first == UInt8(ascii: ".") else { return false }
        return name.hasASCIISuffix(".spate") || name.hasASCIISuffix(".spate.tmp")
            || name.hasASCIIPrefix(journalPrefix)
            || name.bytes.count == folderMark.bytes.count && name.hasASCIIPrefix(folderMark)
    }

    /// A file that marks a folder for downloads, if the file system has no attributes.
    static let folderMark: FilePath = ".spate-folder"

    // MARK: Journals

    /// What the name of a journal begins with.
    package static let journalPrefix: FilePath = ".spate-queue-"

    package static func isJournal(_ name: FilePath) -> Bool {
        guard name.bytes.starts(with: journalPrefix.bytes) else { return false }
        let parts = name.bytes.dropFirst(journalPrefix.bytes.count).split(
            separator: UInt8(ascii: "-"),
            omittingEmptySubsequences: false
        )
        return parts.count == 2
            && parts.allSatisfy { part in
                part.count == 16 && part.allSatisfy { $0 < 0x80 && Character(Unicode.Scalar($0)).isHexDigit }
            }
    }
}

extension FilePath {
    /// Whether it ends in `suffix` (lower-case ASCII), in either case.
    func hasASCIISuffix(_ suffix: String) -> Bool {
        bytes.count >= suffix.utf8.count && has(suffix, at: bytes.count - suffix.utf8.count)
    }

    /// Whether it begins with `prefix` (lower-case ASCII), in either case.
    func hasASCIIPrefix(_ prefix: FilePath) -> Bool { bytes.count >= prefix.bytes.count && has(prefix.text, at: 0) }

    private func has(_ text: String, at start: Int) -> Bool {
        let (bytes, wanted) = (bytes.span, text.utf8.span)
        for index in wanted.indices {
            let byte = bytes[start + index]
            guard byte == wanted[index] || ((0x41...0x5A).contains(byte) && byte | 0x20 == wanted[index]) else {
                return false
            }
        }
        return true
    }
}
