import Foundation
import Testing

@testable import Spate

@Suite struct ManagerEventQueueTests {
    private let silent: SilentManager
    private let a: Download
    private let b: Download

    init() throws {
        silent = try SilentManager()
        a = silent.pausedDownload("a")
        b = silent.pausedDownload("b")
    }

    private func progress(_ bytes: Int64) -> DownloadEvent { .progress(DownloadProgress(receivedBytes: bytes)) }

    private func rest(of queue: inout ManagerEventQueue) -> [String] {
        var texts: [String] = []
        while let (download, event) = queue.take() {
            let name = download.url.lastPathComponent
            switch event {
            case .state(let state): texts.append("\(name) \(state)")
            case .progress(let progress): texts.append("\(name) \(progress.receivedBytes)")
            }
        }
        return texts
    }

    @Test func ofEachDownloadsProgressBetweenTwoStatesOnlyTheLastIsKept() {
        var queue = ManagerEventQueue()
        queue.endIntroductions()
        for bytes in 1...1000 {
            queue.put((a, progress(Int64(bytes))))
            queue.put((b, progress(Int64(2 * bytes))))
        }
        queue.put((a, .state(.paused)))
        queue.put((a, progress(7)))
        queue.put((b, progress(9)))
        #expect(rest(of: &queue) == ["a 1000", "b 9", "a paused", "a 7"])
    }

    @Test func whatWasReadIsNotReplaced() {
        var queue = ManagerEventQueue()
        queue.endIntroductions()
        for round in 0..<100 {
            queue.put((a, .state(.running)))
            queue.put((a, progress(1)))
            queue.put((b, progress(1)))
            _ = queue.take()
            _ = queue.take()
            queue.put((a, progress(Int64(round))))
            queue.put((b, progress(Int64(round))))
            #expect(rest(of: &queue) == ["b \(round)", "a \(round)"])
        }
    }

    @Test func anIntroductionComesFirstOrNotAtAll() {
        var queue = ManagerEventQueue()
        queue.put((a, progress(1)))
        queue.introduce(a, in: .running)
        queue.put((b, .state(.paused)))
        queue.introduce(b, in: .running)
        queue.endIntroductions()
        queue.introduce(a, in: .cancelled)
        #expect(rest(of: &queue) == ["a running", "b paused"])
    }
}
