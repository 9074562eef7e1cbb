import HTTPResumption
import PartialFiles

/// Which download has which file name, so that two that want one name are told apart before either has a file.
struct NameClaims {
    private var owners: [String: HTTPURL] = [:]
    private var paths: [HTTPURL: String] = [:]

    /// Gives the download the best name that no other has; none where all are taken.
    mutating func claim(for key: HTTPURL, in directory: String, naming: FileNaming) {
        for name in naming.candidates(for: key) where claim(Self.path(name.text, in: directory), for: key) { return }
    }

    /// Gives the path to the download, which lets go of the one it had; false when another has it.
    mutating func claim(_ path: String, for key: HTTPURL) -> Bool {
        if let owner = owners[path] { return owner == key }
        if let old = paths.updateValue(path, forKey: key) { owners[old] = nil }
        owners[path] = key
        return true
    }

    /// Whether another download has this path.
    func isTaken(_ path: String, from key: HTTPURL) -> Bool {
        guard let owner = owners[path] else { return false }
        return owner != key
    }

    mutating func release(_ key: HTTPURL) {
        guard let path = paths.removeValue(forKey: key) else { return }
        owners[path] = nil
    }

    static func path(_ name: String, in directory: String) -> String { "\(directory)/\(name)" }
}
