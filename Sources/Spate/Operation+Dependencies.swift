import Foundation

// On Linux an operation keeps unretained references to its dependents until it ends. A dependent must remove that
// reference before it goes away.
extension Operation {
    /// Call this when this operation has finished and no dependency is being added, or when it is going away.
    func removeDependencies() {
        for dependency in dependencies { removeDependency(dependency) }
    }

    /// Call this after adding a dependency, or the operation to a queue.
    ///
    /// Foundation on Linux asks whether the operation is ready, and stores the answer in a second step. If its last
    /// dependency ends in between, the old answer stays, and the queue never starts the operation. Here the answer is
    /// final: a ready operation stays ready, and a dependency that ends later is noticed after the answer is stored.
    func settleReadiness() {
        if isReady { didChangeValue(forKey: "isReady") }
    }
}

/// The calls that add a dependency to an operation.
///
/// Foundation adds a dependency in two steps and asks other operations, perhaps the user's, if they are ready. So no
/// lock is held, and the operation may start and end meanwhile. The last of these calls removes late dependencies.
struct DependencyCalls {
    private var count = 0
    private var isEnded = false

    mutating func begin() { count += 1 }

    /// Returns whether the caller must remove all dependencies.
    mutating func end() -> Bool {
        count -= 1
        return isEnded && count == 0
    }

    /// The operation has ended. Returns whether the caller must remove all dependencies.
    mutating func operationEnded() -> Bool {
        isEnded = true
        return count == 0
    }
}
