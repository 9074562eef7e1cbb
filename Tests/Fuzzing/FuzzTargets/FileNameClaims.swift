import SpateHTTPSyntax
import SpatePartialFiles

/// The claims about every file name for one URL.
struct FileNameClaims {
    let origin: HTTPURL
    let derived: [FileName]
    private let hash: URLHash

    init(origin: HTTPURL) {
        self.origin = origin
        derived = Array(FileNaming.derived.candidates(for: origin))
        hash = URLHash(origin)
    }

    /// A repaired name needs no further repair, and does not mislead its reader.
    func checkRepaired(_ name: FileName) throws(BrokenClaim) {
        let again = FileName(repairing: Array(name.text.utf8))
        try require(again == name, "\(reflected(name.text)) is repaired again, to \(reflected(again.text))")
        let isInvisible = name.text.unicodeScalars.contains { $0.properties.generalCategory == .format }
        try require(!isInvisible && !name.text.utf8.contains(UInt8(ascii: "\\")), "\(reflected(name.text)) misleads")
    }

    /// The name, its variants, and the names of its partial files.
    func checkSafe(_ name: FileName) throws(BrokenClaim) {
        for text in [name.text, name.variant(hash.digits8).text, name.variant(hash.digits16).text] {
            try require((try? FileName(explicit: text)) != nil, "\(reflected(text)) is refused")
            try require(!FileName.isPartial(text) && !FileName.isSidecar(text), "\(reflected(text)) is no final name")
        }
        try checkBeside(name.text)
        let isMistakable = isMistakable(name)
        for partial in [name.partial, name.partial(of: origin)] {
            try require(FileName.isPartial(partial) && !FileName.isSidecar(partial), "unknown: \(reflected(partial))")
            try checkBeside(partial)
            if isMistakable { continue }
            let final = FileName(ofPartial: partial, origin: origin)
            try require(final == name, "\(reflected(partial)) becomes \(reflected(final?.text ?? "nothing"))")
        }
    }

    /// Whether another name for this URL has the same partial file: see `FileName`.
    private func isMistakable(_ name: FileName) -> Bool {
        let ending = ".\(hash.digits8)"
        if derived.contains(name) { return false }
        return name.text.utf8.suffix(ending.utf8.count).elementsEqual(ending.utf8)
            || derived.contains { $0.text.utf8.elementsEqual((name.text + ending).utf8) }
    }

    /// The name itself and those of its sidecars.
    private func checkBeside(_ name: String) throws(BrokenClaim) {
        for text in [name, FileName.sidecar(of: name), FileName.unfinishedSidecar(of: name)] {
            try require((1...255).contains(text.utf8.count), "\(text.utf8.count) bytes of name: \(reflected(text))")
            try require(!text.utf8.contains { $0 < 0x20 || $0 == 0x7F || $0 == 0x2F }, "\(reflected(text)) is unsafe")
            try require(text != "." && text != "..", "\(text) is a folder")
            if text.utf8.count > name.utf8.count {
                try require(FileName.isSidecar(text), "\(reflected(text)) is not known")
            }
        }
    }

    private func reflected(_ text: String) -> String { String(reflecting: text) }
}
