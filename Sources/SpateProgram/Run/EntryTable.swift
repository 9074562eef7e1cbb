/// Elements by index. A free list: the index of a removed element is used again, so there are never more indices than
/// elements at the same time.
///
/// A dictionary would have to hash and move its elements for each of a hundred thousand downloads.
struct EntryTable<Element> {
    private var elements: [Element?] = []
    private var free: [Int] = []

    /// How many indices are in use.
    var count: Int { elements.count - free.count }

    /// All indices, also those that are not in use.
    var indices: Range<Int> { elements.indices }

    /// The elements, in no particular order.
    var all: some Sequence<Element> { elements.lazy.compactMap { $0 } }

    /// Reserves an index. Its element is set later.
    mutating func reserve() -> Int {
        if let index = free.popLast() { return index }
        elements.append(nil)
        return elements.count - 1
    }

    /// The element at an index. `nil` if it has not been set or was removed.
    subscript(index: Int) -> Element? {
        get { elements[index] }
        set { elements[index] = newValue }
    }

    /// Removes an element and frees its index. Returns `nil` if it was removed before.
    mutating func remove(at index: Int) -> Element? {
        guard let element = elements[index].take() else { return nil }
        free.append(index)
        return element
    }
}
