import Dispatch
import Foundation
import SpateTestSupport
import Testing

@testable import Spate

@Suite(.takesTurns) struct DelegateTests {
    private let queue = DispatchQueue(label: "test.callbacks")
    private static let key = DispatchSpecificKey<Bool>()

    private func manager() throws -> TestManager {
        queue.setSpecific(key: Self.key, value: true)
        return try TestManager { $0.callbackQueue = queue }
    }

    /// Records its calls, and on which queue they come.
    private final class Listener: DownloadManagerDelegate {
        let heard = Recorder<String>()

        private func hear(_ word: String, _ download: Download) {
            let place = DispatchQueue.getSpecific(key: DelegateTests.key) == true ? "" : " elsewhere"
            heard.append("\(download.url.lastPathComponent) \(word)\(place)")
        }

        func download(_ download: Download, didChangeTo state: DownloadState) {
            hear(DownloadEvent.state(state).word, download)
        }
        func download(_ download: Download, didReceive progress: DownloadProgress) {
            hear("\(progress.receivedBytes)", download)
        }
        func download(_ download: Download, didFinishAt file: URL) { hear("at \(file.lastPathComponent)", download) }
        func download(_ download: Download, didFailWith error: DownloadError) { hear("\(error.code)", download) }
    }

    /// Overrides nothing.
    private final class Deaf: DownloadManagerDelegate {}

    @Test func itIsCalledInOrderOnTheCallbackQueue() async throws {
        let server = try TestServer { request in
            request.path == "/f" ? .file([1, 2, 3], for: request) : .status(404)
        }
        let test = try manager()
        let listener = Listener()
        test.manager.delegate = listener
        _ = try await test.manager.download(server.url("/f")).ended().get()
        _ = try await test.manager.download(server.url("/none")).ended()
        let all = try await listener.heard.wait(until: { $0.last == "none httpStatus" })
        // The first bytes may be reported before the last. A file system in memory needs no wait for the disk.
        let words = all.filter { !["f 3", "none 0", "f disk"].contains($0) }
        #expect(
            words == [
                "f waiting", "f running", "f finished", "f at f",
                "none waiting", "none running", "none failed", "none httpStatus",
            ]
        )
        #expect(all.firstIndex(of: "f finished").map { all[$0 - 1] } == "f 3")
    }

    @Test func itIsHeldWeaklyAndOneThatOverridesNothingIsFine() async throws {
        let server = try TestServer { .file([1], for: $0) }
        let test = try manager()
        test.manager.delegate = Deaf()
        #expect(test.manager.delegate == nil)
        var listener: Listener? = Listener()
        weak let released = listener
        test.manager.delegate = listener
        #expect(test.manager.delegate === listener)
        listener = nil
        #expect(released == nil)
        let deaf = Deaf()
        test.manager.delegate = deaf
        _ = try await test.manager.download(server.url("/f")).ended().get()
        queue.sync {}
    }

    @Test func aCancellationIsAFailureAndADelegateThatWasReplacedIsNotCalledAnyMore() async throws {
        let silent = try SilentManager()
        let listener = Listener()
        silent.manager.delegate = listener
        // As a state, and as the error that it ended with.
        silent.pausedDownload("f").cancel()
        await silent.callbacksAreDone()
        silent.manager.delegate = nil
        silent.pausedDownload("g").cancel()
        await silent.callbacksAreDone()
        let words = listener.heard.values.map { $0.split(separator: " ")[1] }
        // The last progress may be told before the end.
        #expect(words.filter { $0 != "0" } == ["waiting", "paused", "cancelled", "cancelled"])
    }

    @Test func eachEndReachesTheFormerDelegateOrTheNext() async throws {
        let silent = try SilentManager()
        let (manager, listeners, count) = (silent.manager, [Listener(), Listener()], 2_000)
        let url = try #require(URL(string: "ftp://host.test/f"))
        let isOver = Watched(false)
        manager.delegate = listeners[0]
        await withCheckedContinuation { continuation in
            DispatchQueue.global().async {
                DispatchQueue.concurrentPerform(iterations: 2) { thread in
                    if thread == 0 {
                        for _ in 0..<count { manager.download(url) }
                        return isOver.update { $0 = true }
                    }
                    var turn = 0
                    while !isOver.value {
                        turn += 1
                        manager.delegate = listeners[turn % 2]
                    }
                }
                continuation.resume()
            }
        }
        // Each of its calls makes way for one of these.
        for _ in 0..<count { await silent.callbacksAreDone() }
        let ends = listeners.flatMap(\.heard.values).count { $0.hasPrefix("f unsupportedScheme") }
        #expect(ends == count)
    }
}
