/// Finds elements of an array by their hashes, which the elements keep. So none is hashed again when another comes or
/// goes, as in a `Set` or a `Dictionary`.
struct HashedIndices {
    /// One index of each hash.
    private var indices: [Int: Int] = [:]
    /// The others of the same hash. Hardly ever are there any.
    private var others: [Int: [Int]] = [:]

    var isEmpty: Bool { indices.isEmpty }

    /// The index of the element with this hash that fulfils a condition; `nil` if none does.
    func first<Element>(_ hash: Int, in elements: [Element], where isWanted: (Element) -> Bool) -> Int? {
        guard let index = indices[hash] else { return nil }
        if isWanted(elements[index]) { return index }
        return others.isEmpty ? nil : others[hash]?.first { isWanted(elements[$0]) }
    }

    /// Adds the index of an element with this hash.
    mutating func insert(_ index: Int, _ hash: Int) {
        if let other = indices.updateValue(index, forKey: hash) { others[hash, default: []].append(other) }
    }

    /// Removes the index of an element with this hash, which must be here.
    mutating func remove(_ index: Int, _ hash: Int) {
        guard let found = indices.removeValue(forKey: hash), !others.isEmpty,
            var rest = others.removeValue(forKey: hash)
        else { return }
        rest.append(found)
        rest.removeAll { $0 == index }
        indices[hash] = rest.popLast()
        others[hash] = rest.isEmpty ? nil : rest
    }
}
