import Foundation
import Spate
import SpateConsole
import Testing

@testable import SpateProgram

@Suite struct HookQueueTests {
    private let program = OptionProgram(name: "notify", path: "/notify")
    private let finished = DownloadState.finished(URL(fileURLWithPath: "/f"))
    private let failed = DownloadState.failed(DownloadError(.httpStatus, "gone"))

    private func shown(_ number: Int) -> ShownDownload {
        ShownDownload(number: number, url: "http://host/\(number)", name: "\(number)")
    }

    @Test func callsComeOneAtATimeInTheOrderOfTheEnds() {
        var queue = HookQueue(OptionPrograms(onFinish: program))
        var urls: [String] = []
        for number in 0..<2_500 { queue.note(finished, of: shown(number)) }
        while let call = queue.begin() {
            #expect(queue.begin() == nil && !queue.isIdle)
            urls.append(call.url)
            queue.end(failed: urls.count % 100 == 0)
        }
        #expect(urls == (0..<2_500).map { "http://host/\($0)" } && queue.isIdle && queue.failedCount == 25)
    }

    @Test func eachEndHasItsOwnProgramAndACancelledDownloadHasNone() {
        var queue = HookQueue(OptionPrograms(onFailure: program))
        for state in [.running, .waiting(.slot), .paused, .cancelled, finished, failed] {
            queue.note(state, of: shown(1))
        }
        #expect(queue.leftCount == 1 && queue.begin()?.input.contains("\"state\":\"failed\"") == true)
        #expect(queue.begin() == nil)
    }

    @Test func theTimeIsThatOfAllAttemptsOrNullWithoutAny() {
        var queue = HookQueue(OptionPrograms(onFinish: program))
        let start = ContinuousClock.now
        queue.note(.running, of: shown(1), now: start)
        queue.note(.running, of: shown(1), now: start + .seconds(1))
        queue.note(finished, of: shown(1), now: start + .milliseconds(2_345))
        queue.note(finished, of: shown(1), now: start)
        #expect(queue.begin()?.input.hasSuffix(",\"seconds\":2.345}\n") == true)
        queue.end(failed: false)
        #expect(queue.begin()?.input.hasSuffix(",\"seconds\":null}\n") == true)
    }

    @Test func itIsBoundedAndCanBeEmptied() {
        var queue = HookQueue(OptionPrograms(onFinish: program), mostWaiting: 3)
        for number in 0..<3 { queue.note(finished, of: shown(number)) }
        #expect(queue.isFull && queue.begin() != nil && !queue.isFull)
        queue.note(finished, of: shown(3))
        #expect(queue.isFull && queue.stop() == 3 && !queue.isFull && !queue.isIdle)
        queue.end(failed: true)
        #expect(queue.isIdle && queue.begin() == nil)
    }
}
