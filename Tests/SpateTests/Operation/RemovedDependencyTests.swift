import Foundation
import SpateTestSupport
import Testing

@testable import Spate

/// On Linux a plain operation waits forever for a dependency that was removed before its end.
@Suite(.takesTurns) struct RemovedDependencyTests {
    enum Kind: CaseIterable {
        case download, fetch
    }

    /// An operation that waits for others, and what shows that it has begun.
    private final class Scene: Sendable {
        let silent: SilentManager
        let operation: Operation
        private let queue = OperationQueue()
        private let isDownload: Bool

        init(_ kind: Kind) throws {
            silent = try SilentManager(maxConcurrentDownloads: 1)
            silent.transport.letGo()
            isDownload = kind == .download
            if isDownload {
                silent.manager.feed.queue.isSuspended = true
                operation = try #require(silent.manager.download(silent.url("f")).operation)
            } else {
                operation = FetchOperation(silent.url("f"), manager: silent.manager)
            }
        }

        /// Lets the queue start it as soon as it is ready.
        func enqueue() {
            if isDownload { silent.manager.feed.queue.isSuspended = false } else { queue.addOperation(operation) }
        }

        func hasBegun() async throws {
            let operation = operation
            try await eventually("it begins") { operation.isExecuting }
        }

        func ends() async throws {
            silent.manager.cancelAll()
            operation.cancel()
            let operation = operation
            try await eventually("it ends") { operation.isFinished && operation.dependencies.isEmpty }
        }
    }

    @Test(arguments: Kind.allCases, [true, false])
    func itNoLongerWaitsForWhatWasRemoved(kind: Kind, isQueuedBefore: Bool) async throws {
        let scene = try Scene(kind)
        let first = BlockOperation {}
        scene.operation.addDependency(first)
        #expect(scene.operation.dependencies == [first] && !scene.operation.isReady)
        if isQueuedBefore { scene.enqueue() }
        scene.operation.removeDependency(first)
        #expect(scene.operation.dependencies.isEmpty && scene.operation.isReady)
        if !isQueuedBefore { scene.enqueue() }
        try await scene.hasBegun()
        try await scene.ends()
        first.start()
    }

    @Test(arguments: Kind.allCases)
    func itStillWaitsForTheOthers(kind: Kind) async throws {
        let scene = try Scene(kind)
        let (removed, kept, stranger) = (BlockOperation {}, BlockOperation {}, BlockOperation {})
        for operation in [removed, kept, removed] { scene.operation.addDependency(operation) }
        scene.enqueue()
        for operation in [stranger, removed, removed] { scene.operation.removeDependency(operation) }
        #expect(scene.operation.dependencies == [kept] && !scene.operation.isReady)
        removed.start()
        #expect(!scene.operation.isReady && !scene.operation.isExecuting)
        kept.start()
        try await scene.hasBegun()
        #expect(scene.operation.dependencies == [kept])
        scene.operation.removeDependency(kept)
        #expect(scene.operation.dependencies.isEmpty && scene.operation.isExecuting)
        try await scene.ends()
    }

    @Test(arguments: Kind.allCases)
    func whatWasRemovedMayBeAddedAgain(kind: Kind) async throws {
        let scene = try Scene(kind)
        let (operation, first) = (scene.operation, BlockOperation {})
        for _ in 0..<3 {
            operation.addDependency(first)
            #expect(!operation.isReady)
            operation.removeDependency(first)
            #expect(operation.isReady)
        }
        operation.addDependency(first)
        first.start()
        #expect(operation.isReady && operation.dependencies == [first])
        operation.removeDependency(first)
        #expect(operation.isReady && operation.dependencies.isEmpty)
        scene.enqueue()
        try await scene.hasBegun()
        try await scene.ends()
    }

    @Test(arguments: Kind.allCases, [true, false])
    func aCancelledOneEndsWhateverIsRemoved(kind: Kind, hasEnded: Bool) async throws {
        let scene = try Scene(kind)
        let (first, other) = (BlockOperation {}, BlockOperation {})
        for operation in [first, other] { scene.operation.addDependency(operation) }
        scene.operation.cancel()
        #expect(scene.operation.isReady)
        if hasEnded { first.start() }
        scene.operation.removeDependency(first)
        #expect(scene.operation.isReady && scene.operation.dependencies == [other])
        scene.enqueue()
        try await scene.ends()
    }

    /// The dependency ends, is removed, and the operation is cancelled, queued or released, in any order.
    @Test(arguments: Kind.allCases)
    func itBeginsWhicheverThreadComesFirst(kind: Kind) async throws {
        for round in 0..<500 {
            let scene = try Scene(kind)
            let (first, second) = (BlockOperation {}, BlockOperation {})
            scene.operation.addDependency(first)
            let steps: [@Sendable () -> Void] = [
                { first.start() },
                { scene.operation.removeDependency(first) },
                {
                    scene.operation.addDependency(second)
                    scene.operation.removeDependency(second)
                },
            ]
            // A queue that adds an operation while its last dependency ends may overlook that: Foundation's.
            scene.enqueue()
            await withCheckedContinuation { continuation in
                DispatchQueue.global().async {
                    DispatchQueue.concurrentPerform(iterations: steps.count) { steps[($0 + round) % steps.count]() }
                    continuation.resume()
                }
            }
            try await scene.hasBegun()
            try await scene.ends()
            second.start()
        }
    }
}
