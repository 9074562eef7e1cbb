import CSpateSystem
import Foundation
import SpateFilePaths
import SpateFileSystemCalls
import SpatePartialFiles
import SpateQueueJournals
import SpateTestSupport
import Testing

@testable import Spate

/// Journals that other runs left, and a journal that another program has damaged.
@Suite(.takesTurns) struct LeftQueueTests: QueueFolder {
    let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
    }

    /// Archivers restore attributes, too.
    @Test(arguments: [false, true])
    func aJournalOutOfAnArchiveNamesNoFolderAndReplacesNothing(hasAttribute: Bool) throws {
        let elsewhere = try TemporaryFolder()
        var request = DownloadRequest(url("/f"))
        (request.directory, request.fileName, request.replacesExistingFile) = (elsewhere.url, "f", true)
        try leave([request])
        let name = try #require(try journals.first)
        var proof = [UInt8](repeating: 0, count: 256)
        let length = getxattr(folder.path(name), "user.spate.journal", &proof, proof.count)
        try #require(length > 0)

        let content = try Data(contentsOf: folder.url(name))
        let planted = name.dropLast() + (name.last == "0" ? "1" : "0")
        try content.write(to: folder.url(String(planted)))
        if hasAttribute {
            #expect(setxattr(folder.path(String(planted)), "user.spate.journal", proof, length, 0) == 0)
        }
        try FileManager.default.removeItem(at: folder.url(name))

        let test = try manager()
        for request in try test.manager.storedQueue() + test.manager.restore().map(\.request) {
            #expect(request.fileName == "f")
            #expect(request.directory == nil && !request.replacesExistingFile)
        }
        #expect(test.manager.downloads.count == 1)
    }

    @Test func anOwnJournalNamesFoldersAlsoAfterItWasWrittenAnew() throws {
        let elsewhere = try TemporaryFolder()
        var request = DownloadRequest(url("/f"))
        (request.directory, request.replacesExistingFile) = (elsewhere.url, true)
        let killed = try manager()
        killed.manager.download(request)
        try FileManager.default.removeItem(at: folder.url(try #require(try journals.first)))
        killed.manager.journal?.tidyUp()
        kill(killed)
        let restored = try #require(try manager().manager.restore().first?.request)
        #expect(restored.directory?.standardizedFileURL.path == elsewhere.path && restored.replacesExistingFile)
    }

    /// It may name signed URLs.
    @Test func aJournalIsForItsUserAlone() throws {
        let test = try manager()
        test.manager.download(url("/a"))
        let path = folder.path(try #require(try journals.first))
        var status = stat()
        #expect(stat(path, &status) == 0 && status.st_mode & 0o777 == 0o600)
    }

    /// A program that begins at that moment has copies of all descriptors.
    @Test func aQueueIsLeftAtOnceAlthoughAProgramIsStarted() throws {
        let killed = try manager()
        killed.manager.download(url("/a"))
        let copies = try DescriptorCopies(below: folder.path)
        defer { withExtendedLifetime(copies) {} }
        kill(killed)
        #expect(try manager().manager.restore().map(\.url.path) == ["/a"])
    }

    @Test func aRequestThatIsRefusedWhenItIsRestoredStaysInTheQueue() throws {
        try leave("/a", "/b")
        let test = try manager()
        let restored = test.manager.restore { request in
            if request.url.path == "/a" { request.headers["not a name"] = "1" }
        }
        #expect(restored.map(\.error?.code) == [.badHeader, nil])
        // Another try with a better header, in this process or another.
        #expect(test.manager.restore().map(\.url.path) == ["/a"])
        kill(test)
        #expect(Set(try manager().manager.restore().map(\.url.path)) == ["/a", "/b"])
    }

    /// Two processes may have fetched one URL under two names. Here one download of it runs at a time.
    @Test func ofTwoQueuesWithOneURLTheSecondKeepsWhatTheFirstIsNot() throws {
        let elsewhere = try TemporaryFolder()
        let checksum = try Checksum("md5:900150983cd24fb0d6963f7d28e17f72")
        let changes: [(inout DownloadRequest) -> Void] = [
            { $0.fileName = "other" }, { $0.directory = elsewhere.url }, { $0.checksum = checksum },
            { $0.expectedBytes = 5 }, { $0.maximumBytes = 5 }, { $0.placement = .urlFolders() },
        ]
        for (index, change) in changes.enumerated() {
            var requests = [DownloadRequest(url("/f")), DownloadRequest(url("/f"))]
            change(&requests[1])
            for request in requests { try leave([request]) }
            let test = try manager()
            let first = test.manager.restore().map(\.request)
            #expect(first == [requests[0]], "\(index)")
            #expect(test.manager.restore().map(\.request) == first, "\(index)")
            test.manager.cancelAll()
            let second = test.manager.restore().map(\.request)
            #expect(second.map { "\($0)" } == ["\(requests[1])"], "\(index)")
            test.manager.cancelAll()
            #expect(test.manager.restore().isEmpty, "\(index)")
            // What is the same is one download.
            for _ in 0..<2 { try leave([requests[1]]) }
            #expect(test.manager.restore().count == 1, "\(index)")
            test.manager.cancelAll()
            #expect(test.manager.restore().isEmpty, "\(index)")
            kill(test)
        }
    }

    /// Its downloads run here, but could not be written into a queue of their own.
    @Test func deletingAllForgetsAQueueThatIsHeld() throws {
        try leave("/a", "/b")
        var platform = Platform.native
        platform.largestFile = { 10 }
        var configuration = DownloadManager.Configuration(directory: folder.url)
        configuration.keepsQueue = true
        let surroundings = Surroundings(transport: SilentTransport(), platform: platform)
        let manager = DownloadManager(configuration: configuration, in: surroundings)
        manager.feed.queue.isSuspended = true
        #expect(manager.restore().count == 2 && manager.queueFailure != nil)
        try manager.deleteAll()
        #expect(try journals.isEmpty && manager.downloads.isEmpty)
    }

    @Test func whatThisVersionDoesNotUnderstandStaysInTheQueue() throws {
        try leave("/a")
        let journal = try #require(try journals.first)
        var entry = JournalEntry(url: "http://host.test/10")
        entry["checksum"] = "later:00"
        var lines = Array("44f2dfa7 * 9 http://host/9\n".utf8)
        JournalRecord.entry(10, entry).write(to: &lines)
        try append(lines, to: journal)

        let test = try manager()
        #expect(test.manager.restore().map(\.url.path) == ["/a"])
        #expect(try journals.count == 2)
        try test.manager.delete(url("/a"))
        kill(test)
        #expect(try journals == [journal])
        #expect(
            try records == [
                "+ 1 http://host.test/a", "* 9 http://host/9", "+ 10 http://host.test/10\tchecksum=later:00", "- 1",
            ]
        )
        // Nor is it lost when a URL of it is deleted.
        try manager().manager.delete(url("/10"))
        #expect(try records.suffix(2) == ["- 1", "- 10"])
        #expect(try manager().manager.restore().isEmpty && journals == [journal])
    }

    @Test func aJournalThatWasRemovedIsWrittenAnew() throws {
        let test = try manager()
        let downloads = test.manager.download(["/a", "/b"].map(url))
        let journal = try #require(test.manager.journal)
        for (index, path) in ["/c", "/d"].enumerated() {
            try FileManager.default.removeItem(at: folder.url(try #require(try journals.first)))
            test.manager.download(url(path))
            journal.tidyUp()
            let expected = ["+ 1 http://host.test/a", "+ 2 http://host.test/b", "+ 3 http://host.test/c"]
            #expect(try records == expected + (index == 0 ? [] : ["+ 4 http://host.test/d"]))
        }
        // With its folder.
        try FileManager.default.removeItem(at: folder.url)
        downloads[0].cancel()
        journal.tidyUp()
        #expect(journal.failure?.kind == .missing)
        try FileManager.default.createDirectory(at: folder.url, withIntermediateDirectories: false)
        journal.tidyUp()
        #expect(journal.failure == nil)
        #expect(try records.count == 3)
        // The last who can notice it is the one who closes it.
        try FileManager.default.removeItem(at: folder.url(try #require(try journals.first)))
        kill(test)
        #expect(try manager().manager.restore().map(\.url.path) == ["/b", "/c", "/d"])
    }

    @Test func aRemovedJournalIsNoticedWithoutAnyCall() async throws {
        let test = try manager()
        test.manager.download(url("/a"))
        try FileManager.default.removeItem(at: folder.url(try #require(try journals.first)))
        // Until then it has another name, under which it may be seen, and be gone.
        try await eventually("it is written anew") { (try? records) == ["+ 1 http://host.test/a"] }
    }

    @Test func whatALaterRunFetchedOrWasRefusedLeavesTheQueue() async throws {
        let server = try TestServer { $0.path == "/gone" ? .status(404) : .file([1, 2, 3], for: $0) }
        let urls = ["/first", "/gone", "/here", "/last"].map { server.url($0) }
        try leave(urls.map { DownloadRequest($0) })
        let later = try manager(isSuspended: false)
        #expect(try await later.manager.download(urls[1]).ended().error?.statusCode == 404)
        _ = try await later.manager.download(urls[2]).ended().get()
        kill(later)
        #expect(try later.manager.storedQueue().map(\.url) == [urls[0], urls[3]])
        #expect(try Set(["- 2", "- 3"]).isSubset(of: records))
        let last = try manager(isSuspended: false)
        for url in [urls[3], urls[0]] { _ = try await last.manager.download(url).ended().get() }
        kill(last)
        // The refusal alone is kept.
        #expect(try last.manager.storedFailures().map(\.request.url) == [urls[1]])
        #expect(try journals.count == 1)
    }

    /// Other requests for its file, which only the right one satisfies.
    @Test func whatALaterRunFetchedOtherwiseStaysInTheQueue() async throws {
        let server = try TestServer { .file([1, 2, 3], for: $0) }
        var requests = ["/size", "/most", "/pieces", "/checksum", "/same"].map { DownloadRequest(server.url($0)) }
        requests[0].expectedBytes = 5
        requests[1].maximumBytes = 2
        requests[2].metalink = try PiecedFile.metalink([requests[2].url])
        requests[3].checksum = try Checksum("md5:900150983cd24fb0d6963f7d28e17f72")
        requests[4].expectedBytes = 3
        try leave(requests)
        let later = try manager(isSuspended: false)
        for request in requests {
            _ = try await later.manager.download(DownloadRequest(request.url)).ended().get()
        }
        kill(later)
        #expect(try later.manager.storedQueue().map(\.url) == requests.prefix(4).map(\.url))
    }

    /// It might be reached later.
    @Test func whatALaterRunCouldNotReachStaysInTheQueue() async throws {
        let server = try TestServer { _ in .status(503) }
        try leave([DownloadRequest(server.url("/f"))])
        let later = try TestManager(folder: folder) { ($0.keepsQueue, $0.retry) = (true, .never) }
        #expect(try await later.manager.download(server.url("/f")).ended().error?.statusCode == 503)
        kill(later)
        #expect(try later.manager.storedQueue().map(\.url.path) == ["/f"])
    }

    @Test func whatWasDoneIsForgottenWhenItHasLeftTheOtherQueues() throws {
        try leave((1...4).map { DownloadRequest(url("/\($0)")) })
        let directory = DownloadDirectory(path: FilePath(folder.path))
        let journal = QueueJournal(in: directory, syncAfter: nil, mostDone: 2)
        for number in 1...3 as ClosedRange<UInt64> {
            let entry = JournalEntry(url: "http://host.test/\(number)")
            journal.add(number, entry, isOneOfMany: false)
            journal.end(number, EndedWork(place: 0, done: entry.hash(ownFolder: FilePath(folder.path))))
            journal.tidyUp()
        }
        #expect(journal.doneCount == 1)
        #expect(try records.suffix(2).sorted() == ["- 1", "- 2"])
        journal.close()
        #expect(try records.last == "- 3" && journal.doneCount == 0)
    }
}
