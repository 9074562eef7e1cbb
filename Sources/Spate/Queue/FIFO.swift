/// A queue: first in, first out. Each element keeps its number while it is here.
struct FIFO<Element> {
    private var elements: ContiguousArray<Element?> = []
    /// The elements before this index have left.
    private var head = 0
    /// The number of the element at index 0.
    private var base = 0

    var count: Int { elements.count - head }
    var isEmpty: Bool { count == 0 }

    var first: Element? { head < elements.count ? elements[head] : nil }

    /// The number of the first element.
    var firstNumber: Int { base + head }

    /// Adds an element and returns its number, one higher than the previous.
    @discardableResult
    mutating func append(_ element: Element) -> Int {
        elements.append(element)
        return base + elements.count - 1
    }

    mutating func popFirst() -> Element? {
        guard head < elements.count else { return nil }
        let first = elements[head].take()
        head += 1
        // This moves each element three times on average, however long the queue is, and takes a third more memory.
        if head >= 32, head * 4 >= elements.count {
            elements.removeFirst(head)
            base += head
            head = 0
        }
        return first
    }

    /// Replaces the element of this number, which must be here.
    mutating func replace(_ number: Int, with element: Element) {
        elements[number - base] = element
    }

    /// Removes the elements that fulfil a condition, and returns them. The others get new numbers.
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
