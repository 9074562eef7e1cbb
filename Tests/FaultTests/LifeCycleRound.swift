import Foundation
import Spate
import TestSupport
import Testing

/// Downloads by the thousand in a process of its own, and what that process holds.
final class LifeCycleRound: Sendable {
    struct Level: Sendable {
        var descriptors: Int
        var threads: Int
        var memory: Int
    }

    let test: TestManager
    /// How many ends have been told.
    let ends = Watched(0)
    private let port: UInt16
    private let begun = Watched(0)

    init(port: UInt16) throws {
        self.port = port
        test = try TestManager { $0.maxConcurrentDownloads = 6 }
    }

    /// So many downloads, a hundred at a time. Each is given to `disturb` at a moment of chance: waiting, running,
    /// paused, waiting for a retry, or ended. Every file is deleted in the end.
    func run(_ count: Int, disturb: @escaping @Sendable (Download) -> Void) async throws {
        for start in stride(from: 0, to: count, by: 100) {
            let first = begun.update { begun in
                begun += 100
                return begun - 100
            }
            let told = Recorder<Int>()
            let downloads = try (first..<first + 100).map { number in
                let url = try #require(URL(string: "http://127.0.0.1:\(port)/\(number)"))
                return test.manager.download(
                    url,
                    completion: { [ends] _ in
                        ends.update { $0 += 1 }
                        told.append(number)
                    }
                )
            }
            for download in downloads.shuffled() {
                if Int.random(in: 0..<5) == 0 { download.pause() }
                if Bool.random() { usleep(.random(in: 0...300)) }
                disturb(download)
                download.resume()
            }
            try await told.wait(forCount: 100)
            #expect(Set(told.values).count == 100 && told.values.count == 100, "from \(start)")
            try test.manager.deleteAll()
        }
    }

    func level() throws -> Level {
        let probe = ProcessProbe()
        return Level(
            descriptors: try probe.openDescriptors,
            threads: try probe.threads,
            memory: try probe.residentBytes
        )
    }

    /// Returns when descriptors and threads are back, but for what is kept for later use.
    func settles(at before: Level, slack: Int) async throws {
        try await eventually("descriptors and threads are back at \(before)") {
            let now = try self.level()
            return now.descriptors <= before.descriptors + slack && now.threads <= before.threads + slack
        }
    }
}
