package import SpateFilePaths
package import SpateHTTPSyntax

/// The file names of each URL in one folder, and the names of its journals. Pure.
///
/// Sorted by the hash of the URL, with 17 bytes for each file beside its name. Later changes are kept apart, and merged
/// now and then.
package struct FolderIndex: Sendable {
    private struct Entry {
        let hash: UInt64
        /// Where the name begins. It ends with a zero byte.
        let start: Int
    }

    private var entries: [Entry] = []
    private var names: [UInt8] = []
    /// The names with outdated entries, and their present hashes.
    private var changed: [FilePath: UInt64?] = [:]
    /// The present names by their hashes.
    private var added: [UInt64: Set<FilePath>] = [:]
    /// The names of journals.
    package private(set) var journals: Set<FilePath> = []

    private static let leastMerged = 1_024

    /// - Parameter addAll: calls a closure with the name of each file, and the text of its URL.
    package init<Failure: Error>(
        _ addAll: ((_ name: FilePath, _ origin: String) -> Void) throws(Failure) -> Void
    ) throws(Failure) {
        var (entries, names): ([Entry], [UInt8]) = ([], [])
        try addAll { name, origin in
            entries.append(Entry(hash: URLHash(text: origin).value, start: names.count))
            names += name.bytes
            names.append(0)
        }
        keep(entries, names)
    }

    /// Sorts the entries, and takes no more memory than they need.
    private mutating func keep(_ entries: [Entry], _ names: [UInt8]) {
        self.entries = entries.sorted { $0.hash < $1.hash }
        self.names = names.withUnsafeBufferPointer { Array($0) }
    }

    /// The names of the files that may belong to this URL, in no order.
    package subscript(origin: HTTPURL) -> [FilePath] {
        let hash = URLHash(origin).value
        var found = Array(added[hash] ?? [])
        var index = firstIndex(of: hash)
        while index < entries.count, entries[index].hash == hash {
            let name = name(of: entries[index])
            if changed[name] == nil { found.append(name) }
            index += 1
        }
        return found
    }

    /// The file of this name now belongs to the URL with this text; nil for no known URL.
    package mutating func note(_ name: FilePath, of origin: String?) {
        let hash = origin.map { URLHash(text: $0).value }
        if let old = changed.updateValue(hash, forKey: name) ?? nil, added[old]?.remove(name) != nil,
            added[old]?.isEmpty ?? false
        {
            added[old] = nil
        }
        if let hash { added[hash, default: []].insert(name) }
        if changed.count >= max(Self.leastMerged, entries.count / 64) { merge() }
    }

    package mutating func note(journal name: FilePath, isThere: Bool) {
        if isThere { journals.insert(name) } else { journals.remove(name) }
    }

    private mutating func merge() {
        var (entries, names): ([Entry], [UInt8]) = ([], [])
        func add(_ name: FilePath, _ hash: UInt64) {
            entries.append(Entry(hash: hash, start: names.count))
            names += name.bytes
            names.append(0)
        }
        for entry in self.entries {
            let name = name(of: entry)
            if changed[name] == nil { add(name, entry.hash) }
        }
        for case (let name, let hash?) in changed { add(name, hash) }
        keep(entries, names)
        (changed, added) = ([:], [:])
    }

    private func name(of entry: Entry) -> FilePath {
        FilePath(String(decoding: names[entry.start...].prefix { $0 != 0 }, as: UTF8.self))
    }

    /// The first entry that has this hash or a greater one.
    private func firstIndex(of hash: UInt64) -> Int {
        var (low, high) = (0, entries.count)
        while low < high {
            let middle = (low + high) / 2
            if entries[middle].hash < hash { low = middle + 1 } else { high = middle }
        }
        return low
    }
}
