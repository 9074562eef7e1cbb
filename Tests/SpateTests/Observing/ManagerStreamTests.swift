import Foundation
import SpateTestSupport
import Testing

@testable import Spate

/// What holds for each stream of a manager, whatever it tells.
@Suite struct ManagerStreamTests {
    enum Kind: CaseIterable, Sendable {
        case events, ends

        /// Makes a stream, and returns what reads it until it ends.
        func begin(_ manager: DownloadManager) -> @Sendable () async -> Void {
            switch self {
            case .events:
                let events = manager.events
                return { for await _ in events {} }
            case .ends:
                let ends = manager.ends
                return { for await _ in ends {} }
            }
        }
    }

    @Test(arguments: Kind.allCases) func itEndsWhenTheManagerGoesAndDoesNotKeepIt(kind: Kind) async throws {
        let folder = try TemporaryFolder()
        var manager: DownloadManager? = .silent(in: folder)
        weak let released = manager
        let read = try #require(manager.map(kind.begin))
        manager = nil
        #expect(released == nil)
        try await withDeadline { await read() }
    }

    @Test(arguments: Kind.allCases) func oneThatIsDroppedIsForgotten(kind: Kind) async throws {
        let silent = try SilentManager()
        for _ in 0..<3 { _ = kind.begin(silent.manager) }
        silent.manager.download(silent.url("f"))
        #expect(silent.manager.observers.isEmpty)
        var read: (@Sendable () async -> Void)? = kind.begin(silent.manager)
        #expect(!silent.manager.observers.isEmpty)
        _ = read.take()
        silent.manager.cancelAll()
        #expect(silent.manager.observers.isEmpty)
    }

    @Test(arguments: Kind.allCases) func oneWhoseReaderIsCancelledIsForgotten(kind: Kind) async throws {
        let silent = try SilentManager()
        for turn in 0..<100 {
            let read = kind.begin(silent.manager)
            let task = Task { await read() }
            if turn.isMultiple(of: 2) { await Task.yield() }
            task.cancel()
            try await withDeadline { await task.value }
        }
        try await eventually("nothing observes") { silent.manager.observers.isEmpty }
    }
}
