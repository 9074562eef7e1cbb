import Foundation
import SpateTestSupport
import Testing

@testable import Spate

@Suite(.takesTurns) struct ManagerEndsTests {
    private static func names(_ ended: [Download]?) -> [String]? { ended?.map(\.url.lastPathComponent) }

    /// A reader whose rests have no end within a test.
    private func patientReader(of manager: DownloadManager) -> EndsReader {
        let reader = EndsReader(on: manager.surroundings.runtime, rest: .seconds(600))
        manager.observers.add(reader) { [] }
        return reader
    }

    @Test func endsGatherWhileOthersAreToBeExpected() async throws {
        let silent = try SilentManager()
        let (busy, others) = (silent.manager.download(silent.url("busy")), ["a", "b", "c"].map(silent.pausedDownload))
        let reader = patientReader(of: silent.manager)
        let read = Recorder<[String]>()
        let task = Task { while let ends = Self.names(await reader.next()) { read.append(ends) } }
        try await eventually("the task waits") { reader.hasWaitingTask }
        others[0].cancel()
        try await read.wait(forCount: 1)
        try await eventually("the task waits again") { reader.hasWaitingTask }
        for download in others.dropFirst() { download.cancel() }
        #expect(reader.hasWaitingTask, "it is resumed later, for both")
        busy.cancel()
        try await read.wait(forCount: 2)
        reader.close()
        await task.value
        #expect(read.values == [["a"], ["b", "c", "busy"]])
    }

    @Test func whatHasGatheredIsReadWhenTheRestIsOver() async throws {
        let silent = try SilentManager()
        silent.manager.download(silent.url("busy"))
        let ends = silent.manager.ends
        let read = Recorder<String>()
        let task = Task { for await batch in ends { for download in batch { read.append(download.url.path) } } }
        for number in 0..<5 {
            silent.pausedDownload("\(number)").cancel()
            try await read.wait(forCount: number + 1)
        }
        task.cancel()
        await task.value
    }

    @Test func theLastEndIsReadAtOnce() async throws {
        let server = try TestServer { .file([1], for: $0) }
        let test = try TestManager()
        let reader = patientReader(of: test.manager)
        // Each is the last, as long as there is no other.
        for number in 0..<5 {
            test.manager.download(server.url("/\(number)"))
            #expect(Self.names(try await withDeadline { await reader.next() }) == ["\(number)"])
        }
    }

    @Test func whatOneCallFindsOnTheDiskIsOneBatch() async throws {
        let server = try TestServer { .file([1], for: $0) }
        let test = try TestManager()
        let urls = (0..<20).map { server.url("/\($0)") }
        for try await _ in test.manager.files(of: urls) {}
        let reader = patientReader(of: test.manager)
        let read = Recorder<Int>()
        let task = Task { while let ends = await reader.next() { read.append(ends.count) } }
        try await eventually("the task waits") { reader.hasWaitingTask }
        // The first is read at once: nothing was read before it.
        test.manager.download(urls)
        try await eventually("all are read") { read.values.reduce(0, +) == 20 }
        #expect(read.values.count <= 2)
        reader.close()
        await task.value
    }
}
