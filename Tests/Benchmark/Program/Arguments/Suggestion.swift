/// What a mistyped name was probably meant to be.
enum Suggestion {
    /// A name that the word begins or is begun by, or else the nearest of those that share more with it than not.
    static func nearest(to word: String, among names: [String]) -> String? {
        guard word.count > 1 else { return nil }
        if let extended = names.first(where: { $0.hasPrefix(word) || word.hasPrefix($0) }) { return extended }
        return
            names
            .map { (name: $0, slips: slips(from: Array(word), to: Array($0))) }
            .filter { $0.slips <= max(1, $0.name.count / 3) }
            .min { $0.slips < $1.slips }?
            .name
    }

    /// How many letters must be put in, left out or changed.
    private static func slips(from word: [Character], to name: [Character]) -> Int {
        var last = Array(0...name.count)
        for (row, letter) in word.enumerated() {
            var current = [row + 1]
            for (column, other) in name.enumerated() {
                let change = last[column] + (letter == other ? 0 : 1)
                current.append(min(change, last[column + 1] + 1, current[column] + 1))
            }
            last = current
        }
        return last[name.count]
    }
}
