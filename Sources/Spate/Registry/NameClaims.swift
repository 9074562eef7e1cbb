import HTTPResumption
import PartialFiles

/// Which download has which file name, so that two that want one name are told apart before either has a file.
struct NameClaims {
    private struct ClaimedName: Hashable {
        let folder: String
        let name: String

        // Most downloads of a manager share their folder.
        func hash(into hasher: inout Hasher) { hasher.combine(name) }
    }

    private var owners: [ClaimedName: HTTPURL] = [:]
    private var claimed: [HTTPURL: ClaimedName] = [:]

    /// Gives the download the best name that no other has; none where all are taken.
    mutating func claim(for key: HTTPURL, in folder: String, naming: FileNaming) {
        for name in naming.candidates(for: key) where claim(name.text, in: folder, for: key) { return }
    }

    /// Gives the name to the download, which lets go of the one it had; false when another has it.
    mutating func claim(_ name: String, in folder: String, for key: HTTPURL) -> Bool {
        let wanted = ClaimedName(folder: folder, name: name)
        if let owner = owners[wanted] { return owner == key }
        if let old = claimed.updateValue(wanted, forKey: key) { owners[old] = nil }
        owners[wanted] = key
        return true
    }

    /// Whether another download has this name.
    func isTaken(_ name: String, in folder: String, from key: HTTPURL) -> Bool {
        guard let owner = owners[ClaimedName(folder: folder, name: name)] else { return false }
        return owner != key
    }

    mutating func release(_ key: HTTPURL) {
        guard let name = claimed.removeValue(forKey: key) else { return }
        owners[name] = nil
    }
}
