package import HTTPResumption

/// The names of the partial file and the sidecars.
extension FileName {
    static let partialSuffix = ".part"

    /// The name of the partial file.
    package var partial: String { String(joining: text, Self.partialSuffix) }

    /// The name of the partial file if `partial` is taken.
    package func partial(of origin: HTTPURL) -> String {
        String(joining: text, ".", URLHash(origin).digits8, Self.partialSuffix)
    }

    /// The final name of a partial file of `origin`: the reverse of `partial` and `partial(of:)`.
    package init?(ofPartial name: String, origin: HTTPURL) {
        guard Self.isPartial(name) else { return nil }
        let own = "." + URLHash(origin).digits8 + Self.partialSuffix
        // By bytes: in some scripts, a character and a dot that follows it are one Character.
        let suffix = name.utf8.suffix(own.utf8.count).elementsEqual(own.utf8) ? own : Self.partialSuffix
        guard let final = Self.final(of: name, without: suffix) else { return nil }
        // The name that a URL gives may end in the URL's own hash. If the caller chose such a name, we cannot know.
        if suffix == own, let longer = Self.final(of: name, without: Self.partialSuffix),
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

    // Some file systems ignore case, so these do, too.

    package static func isPartial(_ name: String) -> Bool {
        name.hasASCIISuffix(partialSuffix)
    }

    /// The file that holds the record of `name` if the file system has no attributes.
    package static func sidecar(of name: String) -> String { "." + name + ".spate" }

    /// A sidecar is written under this name, then renamed.
    package static func unfinishedSidecar(of name: String) -> String { sidecar(of: name) + ".tmp" }

    package static func isSidecar(_ name: String) -> Bool {
        name.utf8.first == UInt8(ascii: ".") && (name.hasASCIISuffix(".spate") || name.hasASCIISuffix(".spate.tmp"))
    }
}

extension String {
    /// Whether it ends in `suffix` (lower-case ASCII), in either case.
    fileprivate func hasASCIISuffix(_ suffix: String) -> Bool {
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
