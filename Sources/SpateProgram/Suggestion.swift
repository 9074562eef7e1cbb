/// What a mistyped name was probably meant to be.
enum Suggestion {
    /// The nearest of `names`: one that begins `word` or is begun by it, or else one at most two slips away.
    static func nearest(to word: String, among names: [String]) -> String? {
        guard word.count > 1 else { return nil }
        if let extended = names.first(where: { $0.hasPrefix(word) || word.hasPrefix($0) }) {
            return extended
        }
        // Two slips in a word of three letters make any word out of any other.
        let bound = word.count > 4 ? 2 : 1
        return
            names
            .map { name in (name, slips(from: Array(word), to: Array(name))) }
            .filter { $0.1 <= bound }
            .min { $0.1 < $1.1 }?
            .0
    }

    /// How many letters must be put in, left out, changed, or swapped with their neighbour.
    static func slips(from word: [Character], to name: [Character]) -> Int {
        var beforeLast: [Int] = []
        var last = Array(0...name.count)
        for (row, letter) in word.enumerated() {
            var current = [row + 1]
            for (column, other) in name.enumerated() {
                let change = last[column] + (letter == other ? 0 : 1)
                var fewest = min(change, last[column + 1] + 1, current[column] + 1)
                if row > 0, column > 0, letter == name[column - 1], word[row - 1] == other {
                    fewest = min(fewest, beforeLast[column - 1] + 1)
                }
                current.append(fewest)
            }
            (beforeLast, last) = (last, current)
        }
        return last[name.count]
    }
}
