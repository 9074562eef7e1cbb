import Foundation
import Locking
import PartialFiles
import TestSupport
import Testing

@testable import Spate

/// When records reach the file and the medium, and when the file goes.
@Suite(.takesTurns) struct QueueJournalFileTests {
    private let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
    }

    private func manager(isSuspended: Bool = true) throws -> TestManager {
        let test = try TestManager(folder: folder) { $0.keepsQueue = true }
        test.manager.feed.queue.isSuspended = isSuspended
        return test
    }

    private func url(_ path: String) -> URL {
        URL(string: "http://host.test\(path)") ?? folder.url(path)
    }

    private var journals: [String] {
        get throws {
            try FileManager.default.contentsOfDirectory(atPath: folder.path).filter { $0.hasPrefix(".spate-queue-") }
        }
    }

    /// What the journals say, without their checksums.
    private var records: [String] {
        get throws {
            try journals.flatMap { name in
                try String(contentsOf: folder.url(name), encoding: .utf8).split(separator: "\n").map {
                    String($0.dropFirst(9))
                }
            }
        }
    }

    /// As a process that is killed leaves the folder: its journals have nobody who has locked them.
    private func kill(_ test: TestManager) {
        test.manager.journal?.close()
        test.manager.cancelAll()
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
            in: DownloadDirectory(path: folder.path, platform: platform),
            syncAfter: delay,
            leastEnded: 10
        )
    }

    @Test func aRecordIsWrittenWhenTheCallReturns() throws {
        let test = try manager()
        test.manager.download(url("/a"))
        #expect(try records == ["+ 1 http://host.test/a"])
        test.manager.download([url("/b"), url("/c")])
        #expect(try records.count == 3)
        test.manager.download(url("/d")) { _ in }
        #expect(try records.last == "+ 4 http://host.test/d")
        test.manager[url("/a")]?.cancel()
        #expect(try records.last == "- 1")
        try test.manager.delete(url("/b"))
        #expect(try records.last == "- 2")
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
        let standard = QueueJournal(in: DownloadDirectory(path: folder.path))
        #expect(try #require(standard.delay) <= .milliseconds(500))
        let calls = Locked<[String]>([])
        let journal = journal(calls, syncAfter: .milliseconds(1))
        journal.add(1, JournalEntry(url: "http://host/1"), isOneOfMany: false)
        // A new name is synced with the file.
        try await eventually("a sync") { calls.withLock { $0 } == ["write", "sync file", "sync folder"] }
        withExtendedLifetime(journal) {}
    }

    @Test func onlyWhatIsNewIsSynced() throws {
        let calls = Locked<[String]>([])
        let journal = journal(calls)
        func made(by body: () -> Void) -> [String] {
            calls.withLock { $0 = [] }
            body()
            return calls.withLock { $0 }
        }
        journal.add(1, JournalEntry(url: "http://host/1"), isOneOfMany: false)
        #expect(made { journal.tidyUp() } == ["sync file", "sync folder"])
        #expect(made { journal.tidyUp() } == [])
        journal.add(2, JournalEntry(url: "http://host/2"), isOneOfMany: false)
        #expect(made { journal.tidyUp() } == ["sync file"])
        journal.end(2)
        #expect(made { journal.tidyUp() } == ["write", "sync file"])
        // What a process leaves when it exits is synced as well.
        journal.add(3, JournalEntry(url: "http://host/3"), isOneOfMany: false)
        #expect(made { journal.close() } == ["sync file"])
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
        let directory = DownloadDirectory(path: folder.path)
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
        #expect(directory.takeJournals().isEmpty)
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
            let killed = try manager()
            killed.manager.download(request)
            kill(killed)
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
        let killed = try manager()
        killed.manager.download(url("/a"))
        kill(killed)
        let directory = DownloadDirectory(path: folder.path)
        let looking = Locked(directory.takeJournals(onlyToLook: true))
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
        let killed = try manager()
        killed.manager.download(["/a", "/b", "/c"].map(url))
        kill(killed)
        // Its process ended while it wrote.
        let journal = try FileHandle(forWritingTo: folder.url(try #require(try journals.first)))
        try journal.seekToEnd()
        try journal.write(contentsOf: Data("1234".utf8))
        try journal.close()
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

    @Test func numbersAreKeptInSets() {
        var numbers = NumberSet()
        var known: Set<UInt64> = []
        for step in 0..<2_000 as Range<UInt64> {
            let number = step &* 2_654_435_761 % 500 &+ (step % 3 == 0 ? .max - 600 : 0)
            if step % 2 == 0 {
                #expect(numbers.insert(number) == known.insert(number).inserted)
            } else {
                #expect(numbers.remove(number) == (known.remove(number) != nil))
            }
            #expect(numbers.count == known.count && numbers.contains(number) == known.contains(number))
        }
    }
}
