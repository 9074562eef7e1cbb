import Foundation
import HTTPResumption
import Locking
import TestSupport
import Testing

@testable import Spate

@Suite struct WaitingLineTests {
    private let test: SilentManager

    init() throws {
        test = try SilentManager()
    }

    private func entry(_ attempt: Int, _ priority: Operation.QueuePriority = .normal) throws -> QueuedAttempt {
        var request = DownloadRequest(test.url("\(attempt)"))
        request.priority = priority
        let download = Download(
            request: request,
            checked: try CheckedRequest(request, in: test.manager.checkedConfiguration),
            serial: 0,
            core: DownloadCore(machine: DownloadMachine(policy: .never), audience: Audience(callbackQueue: .main)),
            manager: test.manager
        )
        return QueuedAttempt(download: download, attempt: attempt, manager: test.manager)
    }

    private func drain(_ line: inout WaitingLine) -> [Int] {
        var order: [Int] = []
        while let entry = line.popFirst() { order.append(entry.attempt) }
        return order
    }

    @Test func whoComesFirstLeavesFirst() throws {
        var line = WaitingLine()
        for number in 2..<1002 { line.append(try entry(number)) }
        #expect(line.count == 1000)
        #expect(drain(&line) == Array(2..<1002))
        #expect(line.count == 0)
    }

    @Test func theOrderHoldsWhileSomeComeAndSomeLeave() throws {
        var line = WaitingLine()
        var order: [Int] = []
        for number in 2..<602 {
            line.append(try entry(number))
            if number % 3 == 1, let first = line.popFirst() { order.append(first.attempt) }
        }
        #expect(line.count == 400)
        #expect(order + drain(&line) == Array(2..<602))
    }

    @Test func aHigherPriorityLeavesBeforeALowerOne() throws {
        var line = WaitingLine()
        let priorities: [Operation.QueuePriority] = [.veryLow, .low, .normal, .high, .veryHigh]
        for (number, priority) in (priorities + priorities).enumerated() {
            line.append(try entry(number + 2, priority))
        }
        #expect(drain(&line) == [6, 11, 5, 10, 4, 9, 3, 8, 2, 7])
    }

    @Test func whatGoesOnLeavesBeforeWhatHasNotBegunOfTheSamePriority() throws {
        var line = WaitingLine()
        let first = DownloadMachine.firstAttempt
        let entries: [(Int, Operation.QueuePriority)] = [
            (first, .normal), (first, .high), (7, .normal), (8, .low), (9, .normal), (first, .low), (10, .high),
        ]
        for (attempt, priority) in entries { line.append(try entry(attempt, priority)) }
        #expect(drain(&line) == [10, first, 7, 9, first, 8, first])
    }

    @Test func whatNobodyWantsIsTakenOutAndTheOthersKeepTheirOrder() throws {
        var line = WaitingLine()
        var wanted: [Int] = []
        for number in 0..<90 {
            let entry = try entry(number, number % 2 == 0 ? .normal : .high)
            // A machine counts its attempts from one: only that number is the one that it waits for.
            let isWanted = number % 3 == 0
            _ = entry.download.core.withLock { $0.machine.handle(.begin) }
            if isWanted { wanted.append(number) }
            line.append(
                QueuedAttempt(download: entry.download, attempt: isWanted ? 1 : 2, manager: test.manager)
            )
        }
        #expect(line.popFirst() != nil)
        let unwanted = line.removeUnwanted()
        #expect(unwanted.count == 60 - 1 && unwanted.allSatisfy { !$0.isWanted })
        #expect(line.count == 30)
        var urls: [URL] = []
        while let entry = line.popFirst() { urls.append(entry.download.url) }
        let expected = wanted.filter { $0 % 2 == 1 } + wanted.filter { $0 % 2 == 0 }
        #expect(urls == expected.map { test.url("\($0)") })
    }
}
