/// Numbered places, of which one that is left is taken again: they are as many as were ever in use at once.
///
/// A dictionary would have to hash and to move what it holds, for each of a hundred thousand downloads.
struct Places<Element> {
    private var elements: [Element?] = []
    private var free: [Int] = []

    /// How many are taken.
    var count: Int { elements.count - free.count }

    /// What is there in no particular order, as far as it has been put there.
    var taken: some Sequence<Element> { elements.lazy.compactMap { $0 } }

    /// Takes a place for what is still to come.
    mutating func take() -> Int {
        if let place = free.popLast() { return place }
        elements.append(nil)
        return elements.count - 1
    }

    /// What is at a place that is taken; `nil` as long as nothing was put there, and where it was left.
    subscript(place: Int) -> Element? {
        get { elements[place] }
        set { elements[place] = newValue }
    }

    /// Leaves a place, and returns what was there; `nil` when it was left before.
    mutating func leave(_ place: Int) -> Element? {
        guard let element = elements[place].take() else { return nil }
        free.append(place)
        return element
    }
}
