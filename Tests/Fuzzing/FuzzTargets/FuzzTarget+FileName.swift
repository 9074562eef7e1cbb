import HTTPResumption
import PartialFiles

extension FuzzTarget {
    /// A URL; a name that a caller chose; and the bytes of a name to repair, line ends and all.
    static let fileName = FuzzTarget(name: "file-name") { bytes throws(BrokenClaim) in
        var lines = InputLines(bytes)
        let url = try? HTTPURL(lines.nextText())
        let chosen = lines.nextText()
        let raw = lines.remaining().joined(separator: [UInt8(ascii: "\n")])
        let origin: HTTPURL = if let url { url } else { try plainOrigin() }

        try checkDerived(FileName(repairing: Array(raw)), origin)
        if let url { try checkDerived(FileName(derivedFrom: url), url) }
        if let explicit = try? FileName(explicit: chosen) {
            try require(explicit.text.utf8.elementsEqual(chosen.utf8), "\(chosen) is repaired to \(explicit)")
            try checkSafe(explicit, origin)
        }
        for naming in [FileNaming.derived] + [try? FileName(explicit: chosen)].compactMap({ $0.map { .explicit($0) } })
        {
            for name in naming.candidates(for: origin) { try checkSafe(name, origin) }
        }
    }

    private static func plainOrigin() throws(BrokenClaim) -> HTTPURL {
        guard let url = try? HTTPURL("http://host/file") else { throw BrokenClaim(description: "no URL at all") }
        return url
    }

    /// A repaired name is one that a caller might choose, and needs no more repair.
    private static func checkDerived(_ name: FileName, _ origin: HTTPURL) throws(BrokenClaim) {
        try checkSafe(name, origin)
        let again = FileName(repairing: Array(name.text.utf8))
        try require(again == name, "\(reflected(name.text)) is repaired once more, to \(reflected(again.text))")
        let invisible = name.text.unicodeScalars.contains { $0.properties.generalCategory == .format }
        try require(!invisible && !name.text.contains("\\"), "\(reflected(name.text)) misleads who reads it")
    }

    private static func checkSafe(_ name: FileName, _ origin: HTTPURL) throws(BrokenClaim) {
        for text in [
            name.text, name.variant(URLHash(origin).digits8).text, name.variant(URLHash(origin).digits16).text,
        ] {
            try require((try? FileName(explicit: text))?.text == text, "\(reflected(text)) is refused")
            try require(!FileName.isPartial(text) && !FileName.isSidecar(text), "\(reflected(text)) is no final name")
        }
        // Of two files of one URL only one can be what this partial file's name stands for; see `FileName`.
        let derived = Array(FileNaming.derived.candidates(for: origin))
        let hash = ".\(URLHash(origin).digits8)"
        let isMistakable =
            !derived.contains(name)
            && (name.text.utf8.suffix(hash.utf8.count).elementsEqual(hash.utf8)
                || derived.contains { $0.text.utf8.elementsEqual((name.text + hash).utf8) })
        for partial in [name.partial, name.partial(of: origin)] {
            try require(FileName.isPartial(partial) && !FileName.isSidecar(partial), "\(reflected(partial)) is unknown")
            try checkBeside(partial)
            if isMistakable { continue }
            let final = FileName(ofPartial: partial, origin: origin)
            try require(final == name, "\(reflected(partial)) becomes \(reflected(final?.text ?? "nothing"))")
        }
        try checkBeside(name.text)
    }

    /// The name itself and those of its records.
    private static func checkBeside(_ name: String) throws(BrokenClaim) {
        for text in [name, FileName.sidecar(of: name), FileName.unfinishedSidecar(of: name)] {
            try require((1...255).contains(text.utf8.count), "\(text.utf8.count) bytes of name: \(reflected(text))")
            try require(!text.utf8.contains { $0 < 0x20 || $0 == 0x7F || $0 == 0x2F }, "\(reflected(text)) is unsafe")
            try require(text != "." && text != "..", "\(text) is a folder")
            if text != name { try require(FileName.isSidecar(text), "\(reflected(text)) is not known again") }
        }
    }

    private static func reflected(_ text: String) -> String { String(reflecting: text) }
}
