package import HTTPResumption

/// The names of the files that stand beside a finished one, or for it while it is not finished.
extension FileName {
    static let partialSuffix = ".part"

    /// Where the bytes are until the file is whole.
    package var partial: String { String(joining: text, Self.partialSuffix) }

    /// The same where somebody else's file has that name.
    package func partial(of origin: HTTPURL) -> String {
        String(joining: text, ".", URLHash(origin).digits8, Self.partialSuffix)
    }

    /// The final name that a partial file of `origin` will get: what `partial` and `partial(of:)` were made from.
    package init?(ofPartial name: String, origin: HTTPURL) {
        guard Self.isPartial(name) else { return nil }
        let own = "." + URLHash(origin).digits8 + Self.partialSuffix
        // By bytes: a character of some scripts swallows a dot that follows it, and the suffix begins with one.
        let suffix = name.utf8.suffix(own.utf8.count).elementsEqual(own.utf8) ? own : Self.partialSuffix
        guard let final = Self.final(of: name, without: suffix) else { return nil }
        // A URL may be made so that the name it gives ends in its own hash. A caller's choice of such a name cannot be
        // told from the other file's.
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

    // Some file systems do not tell upper from lower case, so neither do these.

    package static func isPartial(_ name: String) -> Bool {
        name.hasASCIISuffix(partialSuffix)
    }

    /// The file beside `name` that holds its record where the file system keeps no attributes.
    package static func sidecar(of name: String) -> String { "." + name + ".spate" }

    /// Where a sidecar is written before it is renamed into place.
    package static func unfinishedSidecar(of name: String) -> String { sidecar(of: name) + ".tmp" }

    package static func isSidecar(_ name: String) -> Bool {
        name.utf8.first == UInt8(ascii: ".") && (name.hasASCIISuffix(".spate") || name.hasASCIISuffix(".spate.tmp"))
    }
}

extension String {
    /// Whether it ends in `suffix`, which is lower-case ASCII; letters of either case count.
    fileprivate func hasASCIISuffix(_ suffix: String) -> Bool {
        let (bytes, wanted) = (utf8.span, suffix.utf8.span)
        guard bytes.count >= wanted.count else { return false }
        for place in wanted.indices {
            let byte = bytes[bytes.count - wanted.count + place]
            guard byte == wanted[place] || ((0x41...0x5A).contains(byte) && byte | 0x20 == wanted[place]) else {
                return false
            }
        }
        return true
    }
}
