import Foundation
import SpateHTTPResumption
import SpateLocking
import SpateTestSupport
import Testing

@testable import Spate
@testable import SpateHosts

@Suite struct WaitingLineTests {
    private let test: SilentManager

    init() throws {
        test = try SilentManager()
    }

    private func waiting(_ attempt: Int, _ priority: Operation.QueuePriority = .normal) -> WaitingDownload {
        var request = DownloadRequest(test.url("\(attempt)"))
        request.priority = priority
        let download = Download(request, nil, serial: 0, manager: test.manager)
        return WaitingDownload(download: download, attempt: attempt, manager: test.manager)
    }

    private func drain(_ line: inout WaitingLine<WaitingDownload>) -> [Int] {
        var order: [Int] = []
        while let first = line.popFirst() { order.append(first.attempt) }
        return order
    }

    @Test func theOrderHoldsWhileSomeComeAndSomeLeave() {
        var line = WaitingLine<WaitingDownload>()
        var order: [Int] = []
        for number in 2..<602 {
            line.append(waiting(number))
            if number % 3 == 1, let first = line.popFirst() { order.append(first.attempt) }
        }
        #expect(line.count == 400)
        #expect(order + drain(&line) == Array(2..<602))
    }

    @Test func aHigherPriorityLeavesBeforeALowerOne() {
        var line = WaitingLine<WaitingDownload>()
        let priorities: [Operation.QueuePriority] = [.veryLow, .low, .normal, .high, .veryHigh]
        for (number, priority) in (priorities + priorities).enumerated() {
            line.append(waiting(number + 2, priority))
        }
        #expect(drain(&line) == [6, 11, 5, 10, 4, 9, 3, 8, 2, 7])
    }

    @Test func whatGoesOnLeavesBeforeWhatHasNotBegunOfTheSamePriority() {
        var line = WaitingLine<WaitingDownload>()
        let first = 1
        let entries: [(Int, Operation.QueuePriority)] = [
            (first, .normal), (first, .high), (7, .normal), (8, .low), (9, .normal), (first, .low), (10, .high),
        ]
        for (attempt, priority) in entries { line.append(waiting(attempt, priority)) }
        #expect(drain(&line) == [10, first, 7, 9, first, 8, first])
    }

    @Test func whatNoLongerWaitsIsRemovedAndTheOthersKeepTheirOrder() {
        var line = WaitingLine<WaitingDownload>()
        var expected: [Operation.QueuePriority: [URL]] = [:]
        for number in 0..<90 {
            let priority: Operation.QueuePriority = number % 2 == 0 ? .normal : .high
            let download = waiting(number, priority).download
            _ = download.core.withLock { $0.machine.handle(.begin) }
            // A download waits for its first attempt, which has the number 1.
            let attempt = number % 3 == 0 ? 1 : 2
            if attempt == 1 { expected[priority, default: []].append(download.url) }
            line.append(WaitingDownload(download: download, attempt: attempt, manager: test.manager))
        }
        let stale = line.removeStale()
        #expect(stale.count == 60 && !stale.contains(where: \.stillWaits))
        #expect(line.count == 30)
        var urls: [URL] = []
        while let first = line.popFirst() { urls.append(first.download.url) }
        #expect(urls == [.high, .normal].flatMap { expected[$0] ?? [] })
    }
}
