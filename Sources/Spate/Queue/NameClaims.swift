import HTTPResumption
import PartialFiles

/// Which download has which file name, so that two that want one name are told apart before either has a file.
struct NameClaims {
    struct Name: Hashable {
        let folder: String
        let name: String

        // Most downloads of a manager share their folder.
        func hash(into hasher: inout Hasher) { hasher.combine(name) }
    }

    private var owners: [Name: HTTPURL] = [:]

    /// Gives the download the best name that no other has; none where all are taken.
    ///
    /// - Parameter held: the name that the download has, and lets go of where it gets another. Each download keeps its
    ///   own.
    mutating func claim(for key: HTTPURL, in folder: String, naming: FileNaming, held: inout Name?) {
        for name in naming.candidates(for: key) where claim(name.text, in: folder, for: key, held: &held) { return }
    }

    /// Gives the name to the download, which lets go of the one it had; false when another has it.
    mutating func claim(_ name: String, in folder: String, for key: HTTPURL, held: inout Name?) -> Bool {
        let wanted = Name(folder: folder, name: name)
        // One look for both: most names are nobody's.
        let isFree = withOwner(of: wanted) { owner in
            if let owner { return owner == key }
            owner = key
            return true
        }
        guard isFree else { return false }
        if let old = held, old != wanted { owners[old] = nil }
        held = wanted
        return true
    }

    /// Whether another download has this name.
    func isTaken(_ name: String, in folder: String, from key: HTTPURL) -> Bool {
        guard let owner = owners[Name(folder: folder, name: name)] else { return false }
        return owner != key
    }

    mutating func release(_ held: inout Name?) {
        guard let name = held.take() else { return }
        owners[name] = nil
    }

    private mutating func withOwner(of name: Name, _ body: (inout HTTPURL?) -> Bool) -> Bool {
        body(&owners[name])
    }
}
