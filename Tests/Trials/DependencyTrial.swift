import CSpateObstacles
import Foundation
import Spate

/// Operations that depend on others, and are gone when those end. Foundation keeps a bare pointer to each dependent.
enum DependencyTrial {
    /// Nobody listens there, so an attempt is over at once.
    private static let url = URL(string: "http://127.0.0.1:1/f") ?? Trials.folder

    private static func manager() -> DownloadManager {
        var configuration = DownloadManager.Configuration(directory: Trials.folder)
        configuration.retry = RetryPolicy(maxRetriesWithoutProgress: 0)
        return DownloadManager(configuration: configuration)
    }

    /// Each fetch is cancelled and gone before the operation that it depends on ends.
    static func cancelledDependents() async throws {
        let manager = manager()
        let queue = OperationQueue()
        for _ in 0..<200 {
            let first = BlockOperation {}
            for isQueued in [true, false] {
                let fetch = FetchOperation(url, manager: manager)
                fetch.addDependency(first)
                if isQueued { queue.addOperation(fetch) }
                fetch.cancel()
                if !isQueued { fetch.start() }
            }
            while queue.operationCount > 0 { try await Task.sleep(for: .microseconds(100)) }
            reuseMemory()
            first.start()
        }
    }

    /// Each fetch is gone without a start before the operation that it depends on ends.
    static func droppedDependents() {
        let manager = manager()
        for _ in 0..<200 {
            let first = BlockOperation {}
            do { FetchOperation(url, manager: manager).addDependency(first) }
            reuseMemory()
            first.start()
        }
    }

    /// An operation gets a dependency in the very moment in which it starts, or ends, and is gone before that dependency
    /// ends.
    static func lateDependencies() async throws {
        // Starts and ends come between any two steps of what adds a dependency.
        spate_obstacles_delay_locks(1, 20, 200)
        // Attempts that fail at once, because nothing can be written there.
        var configuration = DownloadManager.Configuration(directory: URL(filePath: "/proc/none"))
        configuration.retry = RetryPolicy(maxRetriesWithoutProgress: 0)
        let manager = DownloadManager(configuration: configuration)
        let queue = OperationQueue()
        var firsts: [Operation] = []
        for number in 0..<1_500 {
            let download = manager.download(url.appending(path: "\(number)"))
            let fetch = FetchOperation(download)
            queue.addOperation(fetch)
            for dependent in [download.operation, fetch].compactMap({ $0 }) {
                for _ in 0..<3 where !dependent.isFinished {
                    let first = BlockOperation {}
                    dependent.addDependency(first)
                    // It must not wait for this, if it waits.
                    if dependent.isExecuting || dependent.isFinished { firsts.append(first) } else { first.start() }
                }
            }
        }
        await manager.waitUntilIdle()
        while queue.operationCount > 0 { try await Task.sleep(for: .microseconds(100)) }
        reuseMemory()
        for first in firsts { first.start() }
    }

    /// Takes memory that was freed just now, and fills it with what is no object.
    private static func reuseMemory() {
        let blocks = (0..<200).map { _ in
            UnsafeMutableRawBufferPointer.allocate(byteCount: 320, alignment: 16)
        }
        for block in blocks { block.initializeMemory(as: UInt8.self, repeating: 0x5A) }
        for block in blocks { block.deallocate() }
    }
}
