import SpateFilePaths

/// The names to verify, in order, and the results that were not read yet. Without locks or files.
struct VerificationLine<Result> {
    private var names: [FilePath]?
    /// The index of the next name to verify.
    private var next = 0
    /// The index of the next result to read.
    private var first = 0
    /// The results from there on. A name without a result has `nil`.
    private var results: [Int: Result?] = [:]
    private var failure: Result?
    /// How far the workers may be ahead of the reader.
    private var window = 1
    /// The workers that wait for the reader.
    private var idle: [Int] = []
    private(set) var isOver = false

    var isReadable: Bool { isOver || failure != nil || results[first] != nil || isRead }

    /// Whether every name has been verified.
    var isComplete: Bool { names.map { next == $0.count && first + results.count == next } ?? false }

    /// Whether every result has been read.
    private var isRead: Bool { names.map { first == $0.count } ?? false }

    mutating func begin(_ names: [FilePath], window: Int) {
        (self.names, self.window) = (names, window)
    }

    /// There are no names, because of this.
    mutating func fail(with failure: Result) {
        (names, self.failure) = ([], failure)
    }

    /// The next name to verify; `nil` if there is none, or if the worker must wait for the reader.
    mutating func take(for worker: Int) -> (index: Int, name: FilePath)? {
        guard !isOver, let names, next < names.count else { return nil }
        guard next - first < window else {
            idle.append(worker)
            return nil
        }
        defer { next += 1 }
        return (next, names[next])
    }

    mutating func put(_ result: Result?, at index: Int) {
        if isOver { return }
        results[index] = .some(result)
        dropEmpty()
    }

    /// The workers that may go on now.
    mutating func takeIdle() -> [Int] {
        guard next - first < window || isOver else { return [] }
        defer { idle = [] }
        return idle
    }

    mutating func popFirst() -> Result? {
        if isOver { return nil }
        if let failure = failure.take() { return failure }
        guard let result = results.removeValue(forKey: first) else { return nil }
        first += 1
        dropEmpty()
        return result
    }

    mutating func end() {
        (isOver, results, failure) = (true, [:], nil)
    }

    /// Names without a result are not read.
    private mutating func dropEmpty() {
        while let result = results[first], result == nil {
            results[first] = nil
            first += 1
        }
    }
}
