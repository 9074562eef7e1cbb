import Foundation
import Testing

@testable import Spate

@Suite struct EventBufferTests {
    private let silent: SilentManager
    private let a: Download
    private let b: Download

    init() throws {
        silent = try SilentManager()
        a = silent.pausedDownload("a")
        b = silent.pausedDownload("b")
    }

    private func progress(_ bytes: Int64) -> DownloadEvent { .progress(DownloadProgress(receivedBytes: bytes)) }

    private func rest(of buffer: inout EventBuffer) -> [String] {
        var texts: [String] = []
        while let (download, event) = buffer.popFirst() {
            let name = download.url.lastPathComponent
            switch event {
            case .state(let state): texts.append("\(name) \(state)")
            case .progress(let progress): texts.append("\(name) \(progress.receivedBytes)")
            }
        }
        #expect(!buffer.isReadable)
        return texts
    }

    @Test func ofEachDownloadsProgressBetweenTwoStatesOnlyTheNewestIsKept() {
        var buffer = EventBuffer()
        for bytes in 1...1000 {
            buffer.append(progress(Int64(bytes)), of: a)
            buffer.append(progress(Int64(2 * bytes)), of: b)
        }
        buffer.append(.state(.paused), of: a)
        buffer.append(progress(7), of: a)
        buffer.append(progress(9), of: b)
        #expect(rest(of: &buffer) == ["a 1000", "b 9", "a paused", "a 7"])
    }

    @Test func everyStateIsKept() {
        var buffer = EventBuffer()
        for _ in 0..<100 {
            buffer.append(.state(.paused), of: a)
            buffer.append(.state(.running), of: a)
        }
        #expect(rest(of: &buffer) == (0..<100).flatMap { _ in ["a paused", "a running"] })
    }

    @Test func whatWasReadIsNotReplaced() {
        var buffer = EventBuffer()
        for round in 0..<100 {
            buffer.append(.state(.running), of: a)
            buffer.append(progress(1), of: a)
            buffer.append(progress(1), of: b)
            _ = buffer.popFirst()
            _ = buffer.popFirst()
            buffer.append(progress(Int64(round)), of: a)
            buffer.append(progress(Int64(round)), of: b)
            #expect(rest(of: &buffer) == ["b \(round)", "a \(round)"])
        }
    }
}
