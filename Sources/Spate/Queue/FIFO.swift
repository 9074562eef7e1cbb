/// A queue: first in, first out.
struct FIFO<Element> {
    private var elements: ContiguousArray<Element?> = []
    /// The elements before this index have left.
    private var head = 0

    var count: Int { elements.count - head }
    var isEmpty: Bool { count == 0 }

    var first: Element? { head < elements.count ? elements[head] : nil }

    mutating func append(_ element: Element) { elements.append(element) }

    mutating func popFirst() -> Element? {
        guard head < elements.count else { return nil }
        let first = elements[head].take()
        head += 1
        // This moves each element three times on average, however long the queue is, and takes a third more memory.
        if head >= 32, head * 4 >= elements.count {
            elements.removeFirst(head)
            head = 0
        }
        return first
    }

    /// Removes the elements that fulfil a condition, and returns them.
    mutating func removeAll(where isUnwanted: (Element) -> Bool) -> [Element] {
        var removed: [Element] = []
        var kept: ContiguousArray<Element?> = []
        for case .some(let element) in elements[head...] {
            if isUnwanted(element) { removed.append(element) } else { kept.append(element) }
        }
        self = FIFO()
        elements = kept
        return removed
    }
}

extension FIFO: Sendable where Element: Sendable {}
