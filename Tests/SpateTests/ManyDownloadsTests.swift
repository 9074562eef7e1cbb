import Foundation
import Spate
import SpateTestSupport
import Testing

@Suite(.takesTurns) struct ManyDownloadsTests {
    @Test func ofManyThoseThatAreWholeAreAnsweredAtOnceAndNoOthers() async throws {
        let server = try TestServer { .file(Array($0.target.utf8), for: $0) }
        let test = try TestManager()
        // Two of them want one name, and the second has another: that one is found again, though the first is gone.
        let earlier = ["/f3", "/a/f50", "/b/f50", "/f99"]
        for download in test.manager.download(earlier.map { server.url($0) }) { _ = try await download.ended().get() }
        try FileManager.default.removeItem(at: test.folder.url("f50"))
        try Data("a stranger's".utf8).write(to: test.folder.url("f7"))

        let paths = (0..<49).map { "/f\($0)" } + ["/b/f50", "/f99"]
        let downloads = test.manager.download(paths.map { server.url($0) })
        for (path, download) in zip(paths, downloads) {
            if case .finished = download.state {} else { #expect(!earlier.contains(path)) }
        }
        for (path, download) in zip(paths, downloads) {
            let file = try await download.ended().get()
            #expect(try String(decoding: Data(contentsOf: file), as: UTF8.self) == path)
        }
        let asked = server.requests.map(\.target)
        #expect(asked.count == earlier.count + paths.count - 3 && Set(asked).count == asked.count)
    }

    @Test func aFolderIsOpenOnlyWhileItIsInUse() async throws {
        let server = try TestServer { request in
            request.visit == 1 ? .status(500) : .file([1], for: request)
        }
        let test = try TestManager {
            $0.retry = RetryPolicy(firstDelay: .seconds(100_000), maximumDelay: .seconds(100_000))
        }
        let downloads = (0..<200).map { number in
            var request = DownloadRequest(server.url("/f\(number)"))
            request.directory = test.folder.url("\(number)")
            return test.manager.download(request)
        }
        // The last few are kept for reuse, and an attempt that has ended may not have been released yet.
        let isFew = { try ProcessProbe().descriptors.values.filter { $0.hasPrefix(test.folder.path) }.count <= 20 }
        for download in downloads {
            for await event in download.events { if case .state(.waiting(.retry)) = event { break } }
        }
        try await eventually("those that wait for a retry hold no folder") { try isFew() }
        test.manager.resumeAll()
        for download in downloads { _ = try await download.ended().get() }
        try await eventually("nor do those that have ended") { try isFew() }
        #expect(test.names.count == 200)
    }
}
