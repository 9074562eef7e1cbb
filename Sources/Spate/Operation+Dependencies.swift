import Foundation

// On Linux an operation keeps an unretained reference to each operation that depends on it, until it ends itself. Whoever
// depends on another removes that reference before it goes away.
extension Operation {
    /// Call it when this operation has finished and no dependency is being added, or when it is going away.
    func removeDependencies() {
        for dependency in dependencies { removeDependency(dependency) }
    }

    /// Call it after a dependency was added, or the operation to a queue.
    ///
    /// Foundation on Linux asks whether the operation is ready, and remembers the answer in a second step. If its last
    /// dependency ends in between, the old answer stays, and the queue never starts the operation. Here the answer is
    /// final: one that is ready stays so, and a dependency that ends from now on is noticed after what is remembered.
    func settleReadiness() {
        if isReady { didChangeValue(forKey: "isReady") }
    }
}

/// The calls that add a dependency to an operation.
///
/// Foundation adds one in two steps and asks other operations, which may be the user's, whether they are ready. So no lock
/// is held, and the operation may start and end meanwhile. Then the last of these calls removes what has come too late.
struct DependencyCalls {
    private var count = 0
    private var isEnded = false

    mutating func begin() { count += 1 }

    /// Whether the caller is to remove all dependencies.
    mutating func end() -> Bool {
        count -= 1
        return isEnded && count == 0
    }

    /// The operation has ended. Whether the caller is to remove all dependencies.
    mutating func operationEnded() -> Bool {
        isEnded = true
        return count == 0
    }
}
