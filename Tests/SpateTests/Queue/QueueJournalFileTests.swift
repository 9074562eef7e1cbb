import Foundation
import SpateFilePaths
import SpateFileSystemCalls
import SpateLocking
import SpatePartialFiles
import SpateQueueJournals
import SpateTestSupport
import Testing

@testable import Spate

/// When records reach the file and the medium, and when the file goes.
@Suite(.takesTurns) struct QueueJournalFileTests: QueueFolder {
    let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
    }

    /// A journal whose syncs and writes are noted, with the kind of file that was synced.
    private func journal(
        _ calls: Locked<[String]>,
        syncAfter delay: Duration? = nil,
        mostBytes: Int64 = .max
    ) -> QueueJournal {
        var platform = Platform.native
        platform.sync = { descriptor in
            let isFolder = fcntl(descriptor, F_GETFL) & O_DIRECTORY != 0
            calls.withLock { $0.append(isFolder ? "sync folder" : "sync file") }
            return fsync(descriptor)
        }
        platform.write = { descriptor, bytes, count, offset in
            calls.withLock { $0.append("write") }
            return pwrite(descriptor, bytes, count, off_t(offset))
        }
        platform.largestFile = { mostBytes }
        return QueueJournal(
            in: DownloadDirectory(path: FilePath(folder.path), platform: platform),
            syncAfter: delay,
            leastEnded: 10
        )
    }

    @Test func manyRequestsAreOneWrite() throws {
        let calls = Locked<[String]>([])
        let journal = journal(calls)
        for number in 1...100 as ClosedRange<UInt64> {
            journal.add(number, JournalEntry(url: "http://host/\(number)"), isOneOfMany: true)
        }
        #expect(calls.withLock { $0 } == [])
        journal.write()
        #expect(calls.withLock { $0 } == ["write"])
        // Their ends wait for the next record, or for the sync.
        for number in 1...99 as ClosedRange<UInt64> { journal.end(number) }
        #expect(calls.withLock { $0 } == ["write"])
        journal.add(101, JournalEntry(url: "http://host/101"), isOneOfMany: false)
        #expect(calls.withLock { $0 } == ["write", "write"])
        #expect(try records.count == 200)
    }

    @Test func recordsAreSyncedWithinASecondAndNobodyHasToAsk() async throws {
        let standard = QueueJournal(in: DownloadDirectory(path: FilePath(folder.path)))
        #expect(try #require(standard.delay) <= .milliseconds(500))
        let calls = Locked<[String]>([])
        let journal = journal(calls, syncAfter: .milliseconds(1))
        journal.add(1, JournalEntry(url: "http://host/1"), isOneOfMany: false)
        // A new name is synced with the file.
        try await eventually("a sync") { calls.withLock { $0 } == ["write", "sync file", "sync folder"] }
        withExtendedLifetime(journal) {}
    }

    @Test func aCompactedFileIsSyncedBeforeItGetsTheNameAndTheNameAfter() throws {
        let calls = Locked<[String]>([])
        let journal = journal(calls)
        for number in 1...30 as ClosedRange<UInt64> {
            journal.add(number, JournalEntry(url: "http://host/\(number)"), isOneOfMany: true)
        }
        journal.tidyUp()
        for number in 2...30 as ClosedRange<UInt64> { journal.end(number) }
        calls.withLock { $0 = [] }
        journal.tidyUp()
        // The ends, a copy of what is left, and after the rename the copy's name.
        #expect(
            calls.withLock { $0 } == ["write", "sync file", "write", "sync file", "sync file", "sync folder"]
        )
        #expect(try records == ["+ 1 http://host/1"])
    }

    @Test func whatIsAppendedWhileAJournalIsCompactedStays() throws {
        let directory = DownloadDirectory(path: FilePath(folder.path))
        var file = try JournalFile(in: directory)
        func line(_ record: JournalRecord) -> [UInt8] {
            var bytes: [UInt8] = []
            record.write(to: &bytes)
            return bytes
        }
        try file.append(line(.entry(1, JournalEntry(url: "http://host/1"))))
        try file.append(line(.entry(2, JournalEntry(url: "http://host/2"))))
        let copy = try file.compacted(in: directory) { $0 == 2 }
        try file.append(line(.entry(3, JournalEntry(url: "http://host/3"))))
        try file.append(line(.end(2)))
        try file.replace(with: copy)
        try file.append(line(.entry(4, JournalEntry(url: "http://host/4"))))
        #expect(
            try records == ["+ 2 http://host/2", "+ 3 http://host/3", "- 2", "+ 4 http://host/4"]
        )
        #expect(try journals.count == 1)
        #expect(try directory.takeJournals().isEmpty)
    }

    @Test func aFileThatMayNotGrowKillsNobody() throws {
        let journal = journal(Locked([]), mostBytes: 40)
        journal.add(1, JournalEntry(url: "http://host/1"), isOneOfMany: false)
        #expect(journal.failure == nil)
        journal.add(2, JournalEntry(url: "http://host/2"), isOneOfMany: false)
        #expect(journal.failure?.code == EFBIG)
    }

    @Test func anUpdateThatWasKilledIsNotTakenForDone() async throws {
        let server = try TestServer { .file([1, 2, 3], for: $0) }
        let plain = try TestManager(folder: folder)
        let file = server.url("/f")
        _ = try await plain.manager.download(file).ended()
        var requests = [DownloadRequest(file), DownloadRequest(file), DownloadRequest(file)]
        requests[0].checksForUpdate = true
        requests[1].replacesExistingFile = true
        requests[2].checksum = try Checksum("md5:5289df737df57326fcdd22597afb1fac")
        for request in requests {
            try leave([request])
            // Another run neither does it nor forgets it.
            let other = try manager(isSuspended: false)
            _ = try await other.manager.download(server.url("/other")).ended()
            kill(other)
            #expect(try journals.count == 1)
            #expect(try other.manager.storedQueue().map(\.url) == [file])
            // The same request again does it, and nothing is left to do.
            let again = try manager(isSuspended: false)
            #expect(try await again.manager.download(request).ended().error == nil)
            kill(again)
            #expect(try journals.isEmpty)
        }
    }

    @Test func whoTakesAQueueOverWaitsForOneWhoLooks() throws {
        try leave("/a")
        let directory = DownloadDirectory(path: FilePath(folder.path))
        let looking = Locked(try directory.takeJournals(onlyToLook: true))
        #expect(looking.withLock { $0.count } == 1)
        let test = try manager()
        // A thread of its own: those of tasks may all be busy. Most often the other waits when it ends.
        Thread.detachNewThread {
            usleep(20_000)
            looking.withLock { $0 = [] }
        }
        #expect(test.manager.restore().count == 1)
    }

    @Test func deletingAURLTakesItOutOfAQueueThatWasLeft() throws {
        try leave("/a", "/b", "/c")
        // Its process ended while it wrote.
        try append(Array("1234".utf8), to: try #require(try journals.first))
        let running = try manager()
        running.manager.download(url("/b"))
        let other = try TestManager(folder: folder)
        #expect(other.manager.delete([url("/b"), url("/a")]).isEmpty)
        // That of a manager that lives is left to it.
        #expect(try other.manager.storedQueue().map(\.url.path) == ["/c", "/b"])
        let next = try manager()
        #expect(next.manager.restore().map(\.url.path) == ["/c"])
        try other.manager.delete(url("/c"))
        kill(next)
        // Under another spelling, and twice.
        let spellings = [url("/c"), try #require(URL(string: "HTTP://HOST.test:80/c"))]
        #expect(other.manager.delete(spellings).isEmpty)
        try other.manager.delete(url("/c"))
        #expect(try journals.count == 1)
    }
}
