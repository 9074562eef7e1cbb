import SpateFilePaths
import SpateHTTPSyntax
import SpatePartialFiles

/// The claims about every file name for one URL.
struct FileNameClaims {
    let origin: HTTPURL
    let derived: [FileName]
    private let hash: URLHash

    init(origin: HTTPURL) {
        self.origin = origin
        derived = Array(FileClaim(origin, in: "/folder", naming: .derived).names)
        hash = URLHash(origin)
    }

    /// A repaired name needs no further repair, and does not mislead its reader.
    func checkRepaired(_ name: FileName) throws(BrokenClaim) {
        let again = FileName(repairing: Array(name.text.utf8))
        try require(again == name, "\(reflected(name.path)) is repaired again, to \(reflected(again.path))")
        let isInvisible = name.text.unicodeScalars.contains { $0.properties.generalCategory == .format }
        try require(!isInvisible && !name.text.utf8.contains(UInt8(ascii: "\\")), "\(reflected(name.path)) misleads")
    }

    /// The name, its variants, and the names of its partial files.
    func checkSafe(_ name: FileName) throws(BrokenClaim) {
        for path in [name.path, name.variant(hash.digits8).path, name.variant(hash.digits16).path] {
            try require((try? FileName(explicit: path.text)) != nil, "\(reflected(path)) is refused")
            try require(!FileName.isPartial(path) && !FileName.isSidecar(path), "\(reflected(path)) is no final name")
        }
        try checkBeside(name.path)
        let isMistakable = isMistakable(name)
        for partial in [name.partial, name.partial(of: origin)] {
            try require(FileName.isPartial(partial) && !FileName.isSidecar(partial), "unknown: \(reflected(partial))")
            try checkBeside(partial)
            if isMistakable { continue }
            let final = FileName(ofPartial: partial, origin: origin)
            try require(final == name, "\(reflected(partial)) becomes \(reflected(final?.path ?? "nothing"))")
        }
    }

    /// Whether another name for this URL has the same partial file: see `FileName`.
    private func isMistakable(_ name: FileName) -> Bool {
        let ending = ".\(hash.digits8)"
        if derived.contains(name) { return false }
        return name.path.bytes.suffix(ending.utf8.count).elementsEqual(ending.utf8)
            || derived.contains { $0.path == FilePath(name.text + ending) }
    }

    /// The name itself and those of its sidecars.
    private func checkBeside(_ name: FilePath) throws(BrokenClaim) {
        for path in [name, FileName.sidecar(of: name), FileName.unfinishedSidecar(of: name)] {
            try require((1...255).contains(path.bytes.count), "\(path.bytes.count) bytes of name: \(reflected(path))")
            try require(!path.bytes.contains { $0 < 0x20 || $0 == 0x7F || $0 == 0x2F }, "\(reflected(path)) is unsafe")
            try require(path != "." && path != "..", "\(path) is a folder")
            if path.bytes.count > name.bytes.count {
                try require(FileName.isSidecar(path), "\(reflected(path)) is not known")
            }
        }
    }

    private func reflected(_ path: FilePath) -> String { String(reflecting: path.text) }
}
