import Foundation
import SpateFilePaths
import SpateLocking
import SpatePartialFiles
import SpateQueueJournals
import SpateTestSupport
import Testing

@testable import Spate

/// What failed is kept beside the queue, until it is made good, enqueued again or deleted.
@Suite(.takesTurns) struct StoredFailureTests: QueueFolder {
    let folder: TemporaryFolder
    private let server: TestServer
    private static let bytes = TestBytes.random(count: 1_000)

    /// `/gone` is not found, `/busy` is refused for now, `/cut` ends early, and all others are served.
    init() throws {
        folder = try TemporaryFolder()
        server = try TestServer { request in
            switch request.path {
            case "/gone": .status(404)
            case "/busy": .status(503)
            case "/cut": .file(Self.bytes, for: request).cut(after: 500)
            default: .file(Self.bytes, for: request)
            }
        }
    }

    private func running(keepsQueue: Bool = true) throws -> TestManager {
        try TestManager(folder: folder) { ($0.keepsQueue, $0.retry) = (keepsQueue, .never) }
    }

    /// Leaves the failures of these requests, as a process does that has exited.
    private func fail(_ requests: DownloadRequest...) async throws {
        let test = try running()
        for download in test.manager.download(requests) { #expect(try await download.ended().error != nil) }
        kill(test)
    }

    private func fail(_ paths: String...) async throws {
        for path in paths { try await fail(DownloadRequest(server.url(path))) }
    }

    private var failed: [String] {
        get throws { try running(keepsQueue: false).manager.storedFailures().map(\.request.url.path) }
    }

    @Test func failuresAreForgottenAndWhatWaitsIsNot() async throws {
        try await fail("/gone", "/busy")
        let test = try running()
        #expect(try await test.manager.download(server.url("/cut")).ended().error != nil)
        test.manager.feed.queue.isSuspended = true
        test.manager.download(server.url("/waits"))
        #expect(try test.manager.storedFailures().count == 3)
        try test.manager.forgetFailures()
        #expect(try failed == [])
        #expect(try test.manager.storedQueue().map(\.url.path) == ["/waits"])
        #expect(try test.manager.storedDownloads().map(\.isPartial) == [true])
        kill(test)
        #expect(try failed == [])
        #expect(try running(keepsQueue: false).manager.storedQueue().map(\.url.path) == ["/waits"])
    }

    @Test func theFailuresOfALivingManagerAreItsOwn() async throws {
        let other = try running()
        #expect(try await other.manager.download(server.url("/gone")).ended().error != nil)
        #expect(try other.manager.storedFailures().count == 1)
        try running().manager.forgetFailures()
        #expect(try failed == ["/gone"])
    }

    @Test func aFailureIsKeptWithItsRequestAndItsReason() async throws {
        var request = DownloadRequest(server.url("/gone"))
        request.fileName = "named"
        request.checksum = try Checksum("md5:900150983cd24fb0d6963f7d28e17f72")
        request.mirrors = [server.url("/busy")]
        request.headers = ["X-Token": "SECRET"]
        let test = try running()
        let error = try #require(try await test.manager.download(request).ended().error)
        // Also while its process lives, in any process.
        for manager in [test.manager, try running(keepsQueue: false).manager] {
            let failure = try #require(try manager.storedFailures().first)
            request.headers = [:]
            #expect("\(failure.request)" == "\(request)")
            #expect(failure.error.code == error.code && failure.error.message == error.message)
            #expect(failure.error.statusCode == error.statusCode && failure.error.isRetryable == error.isRetryable)
            #expect(failure.error.keptPartialFile == error.keptPartialFile)
        }
        kill(test)
        #expect(try failed == ["/gone"])
    }

    @Test func restoringLeavesFailuresAlone() async throws {
        try await fail("/gone", "/busy")
        try leave("/waiting")
        let test = try manager()
        #expect(test.manager.restore().map(\.url.path) == ["/waiting"])
        #expect(try test.manager.storedQueue().map(\.url.path) == ["/waiting"])
        #expect(try test.manager.storedFailures().map(\.request.url.path) == ["/gone", "/busy"])
        test.manager.cancelAll()
        kill(test)
        #expect(try failed == ["/gone", "/busy"])
        #expect(try manager().manager.restore().isEmpty)
    }

    @Test func aJournalWithFailuresAloneGoesWithTheLast() async throws {
        try await fail("/gone")
        #expect(try journals.count == 1)
        let test = try running()
        try test.manager.delete(server.url("/gone"))
        #expect(try journals.isEmpty)
    }

    /// Its own failures are not those of an earlier run.
    @Test func aFailureThatWasSyncedOutlivesItsManager() async throws {
        try await fail("/gone")
        let test = try running()
        for path in ["/gone", "/busy"] {
            #expect(try await test.manager.download(server.url(path)).ended().error != nil)
        }
        test.manager.journal?.tidyUp()
        kill(test)
        #expect(try failed == ["/gone", "/busy"] && journals.count == 1)
    }

    @Test func aRemovedJournalWithFailuresAloneIsWrittenAnewAtTheEnd() async throws {
        let test = try running()
        #expect(try await test.manager.download(server.url("/gone")).ended().error != nil)
        test.manager.journal?.tidyUp()
        try FileManager.default.removeItem(at: folder.url(try #require(try journals.first)))
        kill(test)
        #expect(try failed == ["/gone"])
    }

    /// In the order of their failures, of all runs, and of each URL the latest.
    @Test func aFailureOfALaterRunReplacesTheEarlierOne() async throws {
        try await fail("/gone", "/busy", "/gone")
        #expect(try failed == ["/busy", "/gone"])
        #expect(try records.filter { $0.contains("\tcode=") }.count == 2)
    }

    @Test(arguments: [false, true])
    func whatIsFetchedLaterHasNotFailed(inTheSameRun: Bool) async throws {
        let isUp = Locked(false)
        let server = try TestServer { isUp.withLock({ $0 }) ? .file(Self.bytes, for: $0) : .status(404) }
        let urls = ["/a", "/b"].map { server.url($0) }
        var test = try running()
        for url in urls { #expect(try await test.manager.download(url).ended().error?.statusCode == 404) }
        isUp.withLock { $0 = true }
        if !inTheSameRun {
            kill(test)
            test = try running()
        }
        // With another checksum, it is the same file.
        var request = DownloadRequest(urls[0])
        request.maximumBytes = 10_000
        _ = try await test.manager.download(request).ended().get()
        #expect(try test.manager.storedFailures().map(\.request.url.path) == ["/b"])
        kill(test)
        #expect(try failed == ["/b"])
        let last = try running()
        _ = try await last.manager.download(urls[1]).ended().get()
        kill(last)
        #expect(try journals.isEmpty)
    }

    /// A wrong checksum was corrected: nobody wants the wrong one any more.
    ///
    /// - Parameter name: the name that the failed request chose. It is the URL's.
    @Test(arguments: [nil, "f"]) func anotherRequestForTheFileReplacesTheFailure(name: String?) async throws {
        var request = DownloadRequest(server.url("/f"), fileName: name)
        request.checksum = try Checksum("md5:900150983cd24fb0d6963f7d28e17f72")
        try await fail(request)
        #expect(try failed == ["/f"])
        let test = try running()
        _ = try await test.manager.download(server.url("/f")).ended().get()
        kill(test)
        #expect(try failed.isEmpty && journals.isEmpty)
    }

    @Test func whatWaitsOrIsCancelledHasNotFailed() async throws {
        try await fail("/gone", "/busy")
        let test = try manager()
        let download = test.manager.download(server.url("/gone"))
        #expect(try failed == ["/busy"])
        download.cancel()
        kill(test)
        #expect(try failed == ["/busy"])
    }

    @Test func whatWasNeverEnqueuedIsNotKept() async throws {
        let test = try running()
        var request = DownloadRequest(server.url("/f"))
        request.headers = ["not a name": ""]
        for invalid in [request, DownloadRequest(try #require(URL(string: "ftp://host/f")))] {
            #expect(try await test.manager.download(invalid).ended().error != nil)
        }
        #expect(try test.manager.storedFailures().isEmpty && journals.isEmpty)
    }

    @Test func withoutTheSettingNothingIsKept() async throws {
        let test = try running(keepsQueue: false)
        #expect(try await test.manager.download(server.url("/gone")).ended().error != nil)
        #expect(try test.manager.storedFailures().isEmpty && journals.isEmpty)
    }

    @Test func deletingForgetsFailures() async throws {
        var named = DownloadRequest(server.url("/gone"))
        named.fileName = "named"
        for isLeft in [false, true] {
            for delete in [
                { try $0.delete(named.url) }, { _ = $0.delete([named.url]) }, { try $0.deleteAll() },
                // Queues that earlier runs have left keep what was deleted with its request.
                isLeft ? { try $0.deleteAll() } : { try $0.delete(named) },
            ] as [(DownloadManager) throws -> Void] {
                var test = try running()
                for request in [named, DownloadRequest(server.url("/busy"))] {
                    #expect(try await test.manager.download(request).ended().error != nil)
                }
                if isLeft {
                    kill(test)
                    test = try running()
                }
                try delete(test.manager)
                #expect(try !test.manager.storedFailures().contains { $0.request.url.path == "/gone" })
                kill(test)
                #expect(try !failed.contains("/gone"))
                try running().manager.deleteAll()
                #expect(try journals.isEmpty)
            }
        }
    }

    /// Its place is found again whoever names the file.
    @Test(arguments: [false, true]) func deletingARequestForgetsItsFailure(namesFiles: Bool) async throws {
        for deletesItself in [false, true] {
            let test = try TestManager(folder: folder) { configuration in
                (configuration.keepsQueue, configuration.retry) = (true, .never)
                if namesFiles { configuration.fileName = { _, _ in "named" } }
            }
            let download = test.manager.download(server.url("/gone"))
            #expect(try await download.ended().error != nil)
            #expect(try test.manager.storedFailures().count == 1)
            if deletesItself { try download.delete() } else { try test.manager.delete(DownloadRequest(download.url)) }
            #expect(try test.manager.storedFailures().isEmpty)
            kill(test)
        }
    }

    /// A bare request would publish whatever comes.
    ///
    /// - Parameters:
    ///   - name: the name that the request chose; the URL's is `cut`.
    ///   - other: the name that another request for the URL chose, which failed later.
    @Test(arguments: [nil, "cut", "named"], [nil, "other"])
    func aPartialFileThatFailedIsContinuedByItsOwnRequest(name: String?, other: String?) async throws {
        var request = DownloadRequest(server.url("/cut"), fileName: name)
        request.checksum = try Checksum("md5:900150983cd24fb0d6963f7d28e17f72")
        try await fail(request)
        if let other { try await fail(DownloadRequest(server.url("/cut"), fileName: other)) }
        let test = try manager()
        #expect(try test.manager.storedDownloads().allSatisfy { $0.receivedBytes == 500 })
        #expect(test.manager.restore().map(\.request.checksum) == [request.checksum])
    }

    @Test func aFileThatTurnsOutToBeThereHasNotFailed() async throws {
        let isUp = Locked(false)
        let server = try TestServer { isUp.withLock({ $0 }) ? .file(Self.bytes, for: $0) : .status(503) }
        var requests = ["/a", "/b", "/c"].map { DownloadRequest(server.url($0)) }
        let elsewhere = try TemporaryFolder()
        requests[1].directory = elsewhere.url
        // Whether the file matches, only an attempt can say.
        requests[2].checksum = try Checksum("md5:900150983cd24fb0d6963f7d28e17f72")
        for request in requests { try await fail(request) }
        isUp.withLock { $0 = true }
        let other = try running(keepsQueue: false)
        requests[2].checksum = nil
        for download in other.manager.download(requests) { _ = try await download.ended().get() }
        #expect(try failed == ["/c"])
    }

    /// A list was mended: another URL has filled the name that the failed request chose.
    @Test(
        arguments: [
            ("/gone", "f", "f", []), ("/gone", nil, "gone", ["/gone"]), ("/gone", "f", "g", ["/gone"]),
        ] as [(String, String?, String, [String])]
    )
    func aFailureIsOverWhenItsNameIsFilled(path: String, name: String?, filled: String, left: [String]) async throws {
        try await fail(DownloadRequest(server.url(path), fileName: name))
        _ = try await running().manager.download(DownloadRequest(server.url("/other"), fileName: filled)).ended().get()
        #expect(try failed == left)
    }

    @Test func aNameThatWasTakenBeforeIsStillAFailure() async throws {
        _ = try await running().manager.download(DownloadRequest(server.url("/other"), fileName: "f")).ended().get()
        try await fail(DownloadRequest(server.url("/late"), fileName: "f"))
        #expect(try failed == ["/late"])
    }

    @Test func aJournalOutOfAnArchiveNamesNoFolderOfAFailure() async throws {
        let elsewhere = try TemporaryFolder()
        var request = DownloadRequest(server.url("/gone"))
        (request.directory, request.replacesExistingFile) = (elsewhere.url, true)
        try await fail(request)
        let name = try #require(try journals.first)
        let own = try #require(try running().manager.storedFailures().first?.request)
        #expect(own.directory?.standardizedFileURL.path == elsewhere.path && own.replacesExistingFile)
        let content = try Data(contentsOf: folder.url(name))
        try FileManager.default.removeItem(at: folder.url(name))
        try content.write(to: folder.url(String(name.dropLast() + (name.last == "0" ? "1" : "0"))))
        let planted = try #require(try running().manager.storedFailures().first?.request)
        #expect(planted.directory == nil && !planted.replacesExistingFile)
    }

    /// The rest of the message comes from the program.
    @Test func whatPrepareThrewIsNotWritten() async throws {
        struct Refusal: LocalizedError { let errorDescription: String? = "no ticket SECRET" }
        let test = try TestManager(folder: folder) { configuration in
            (configuration.keepsQueue, configuration.retry) = (true, .never)
            configuration.prepare = { _, _ in throw Refusal() }
        }
        let url = try #require(URL(string: "http://user-SECRET:word-SECRET@host.test/f"))
        let error = try #require(try await test.manager.download(url).ended().error)
        #expect(error.code == .prepare && error.message.contains("SECRET"))
        let failure = try #require(try test.manager.storedFailures().first)
        #expect(failure.error.code == .prepare)
        #expect("\(failure.error)" == "http://host.test/f: The request could not be prepared.")
        kill(test)
        #expect(try !records.joined().contains("SECRET"))
    }

    @Test func aRewrittenJournalKeepsTheFailuresThatCount() throws {
        let journal = QueueJournal(in: DownloadDirectory(path: FilePath(folder.path)), syncAfter: nil, leastEnded: 2)
        func end(_ number: UInt64, of path: String, failing: Bool) throws {
            let entry = JournalEntry(url: "http://host.test\(path)")
            journal.add(number, entry, isOneOfMany: false)
            let failure = try #require(JournalFailure(code: "tls", message: ""))
            let place = entry.placeHash(ownFolder: FilePath(folder.path))
            journal.end(number, EndedWork(place: place, failure: failing ? .failed(entry, failure) : nil))
        }
        for number in 1...20 as ClosedRange<UInt64> { try end(number, of: "/again", failing: true) }
        try end(21, of: "/other", failing: true)
        try end(22, of: "/good", failing: true)
        try end(23, of: "/good", failing: false)
        journal.tidyUp()
        let failures = [20, 21].map { JournalRecord.failureNumber(of: $0) }
        #expect(
            try records == [
                "! \(failures[0]) http://host.test/again\tcode=tls",
                "! \(failures[1]) http://host.test/other\tcode=tls",
            ]
        )
        // What was made good later goes when the journal is closed.
        for (number, path) in [(24, "/again"), (25, "/other")] as [(UInt64, String)] {
            try end(number, of: path, failing: false)
        }
        journal.close()
        #expect(try journals.isEmpty)
    }
}
