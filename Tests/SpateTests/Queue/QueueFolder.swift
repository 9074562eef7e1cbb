import Foundation
import SpateQueueJournals
import SpateTestSupport

@testable import Spate

/// What a suite about queues does with its folder.
protocol QueueFolder {
    var folder: TemporaryFolder { get }
}

extension QueueFolder {
    /// A manager in the folder. Its downloads wait: nothing is started before the test lets it.
    func manager(isSuspended: Bool = true, keepsQueue: Bool = true) throws -> TestManager {
        let test = try TestManager(folder: folder) { $0.keepsQueue = keepsQueue }
        test.manager.feed.queue.isSuspended = isSuspended
        return test
    }

    func url(_ path: String) -> URL {
        URL(string: "http://host.test\(path)") ?? folder.url(path)
    }

    var journals: [String] {
        get throws {
            try FileManager.default.contentsOfDirectory(atPath: folder.path).filter { $0.hasPrefix(".spate-queue-") }
        }
    }

    /// What the journals say, without their checksums.
    var records: [String] {
        get throws {
            try journals.flatMap { name in
                try String(contentsOf: folder.url(name), encoding: .utf8).split(separator: "\n").map {
                    String($0.dropFirst(9))
                }
            }
        }
    }

    /// As a process that is killed leaves the folder: its journals have nobody who has locked them.
    func kill(_ tests: TestManager...) {
        for test in tests {
            test.manager.journal?.close()
            test.manager.cancelAll()
        }
    }

    /// Leaves a journal of these requests.
    func leave(_ paths: String...) throws {
        try leave(paths.map { DownloadRequest(url($0)) })
    }

    func leave(_ requests: [DownloadRequest]) throws {
        let killed = try manager()
        killed.manager.download(requests)
        kill(killed)
    }

    func append(_ bytes: [UInt8], to journal: String) throws {
        let file = try FileHandle(forWritingTo: folder.url(journal))
        try file.seekToEnd()
        try file.write(contentsOf: bytes)
        try file.close()
    }
}

extension QueueJournal {
    func add(_ number: UInt64, _ entry: JournalEntry, isOneOfMany: Bool) {
        add(number, entry.url, isOneOfMany: isOneOfMany) { _ in JournalRecord.Fields(entry) }
    }
}
