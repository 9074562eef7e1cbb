import Foundation
import SpateFilePaths
import SpateFileSystemCalls
import SpateHTTPTransport
import SpateLocking
import SpatePartialFiles
import SpateQueueJournals
import SpateTestSupport
import Testing

@testable import Spate

@Suite(.takesTurns) struct DeletionTests {
    enum Way: CaseIterable { case url, urls, request, all, itself }

    /// A process that is killed between the two must not restore what was deleted.
    @Test(arguments: Way.allCases) func theQueueForgetsADownloadBeforeItsFileGoes(way: Way) async throws {
        let server = try TestServer { .file(TestBytes.random(count: 1_000), for: $0).cut(after: 500) }
        let (folder, elsewhere) = (try TemporaryFolder(), try TemporaryFolder())
        var request = DownloadRequest(server.url("/f"))
        request.directory = elsewhere.url
        let earlier = try TestManager(folder: folder) { $0.retry = .never }
        _ = try await earlier.manager.download(request).ended()

        /// For each partial file that goes, what the queue still names.
        let queued = Locked<[[String]]>([])
        var platform = Platform.native
        platform.unlink = { directory, name in
            if name.text.hasSuffix(".part") {
                var urls: [String] = []
                try? DownloadDirectory(path: FilePath(folder.path)).forEachJournalEntry { entry, _ in
                    urls.append(entry.url)
                }
                queued.withLock { $0.append(urls) }
            }
            return unlinkat(directory, name.text, 0)
        }
        var configuration = DownloadManager.Configuration(directory: folder.url)
        configuration.keepsQueue = true
        let surroundings = Surroundings(transport: CurlTransport.shared, platform: platform)
        let manager = DownloadManager(configuration: configuration, in: surroundings)
        manager.feed.queue.isSuspended = true
        let download = manager.download(request)
        let other = manager.download(server.url("/other"))
        switch way {
        case .url: try manager.delete(request.url)
        case .urls: #expect(manager.delete([request.url]).isEmpty)
        case .request: try manager.delete(request)
        case .all: try manager.deleteAll()
        case .itself: try download.delete()
        }
        #expect(queued.withLock { $0 } == [way == .all ? [] : [other.url.absoluteString]])
        #expect(download.result?.error?.code == .cancelled)
        manager.feed.queue.isSuspended = false
        manager.cancelAll()
    }

    @Test func eachSpellingOfAURLIsToldTheFirstError() throws {
        let test = try TestManager()
        let urls = try ["http://host.test/f", "HTTP://HOST.test:80/f#x", "ftp://host.test/f"].map {
            try #require(URL(string: $0))
        }
        // In place of the folder there is a file.
        try FileManager.default.removeItem(at: test.folder.url)
        try Data().write(to: test.folder.url)
        let failures = test.manager.delete(urls)
        #expect(Set(failures.keys) == Set(urls))
        #expect(failures[urls[0]]?.code == .fileSystem && failures[urls[1]]?.code == .fileSystem)
        #expect(failures[urls[2]]?.code == .unsupportedScheme)
        #expect(#expect(throws: DownloadError.self) { try test.manager.delete(urls[0]) }?.code == .fileSystem)
    }
}
