import Foundation
import Testing

@testable import Spate

@Suite struct DownloadMachineRetryTests {
    /// Runs attempts that reach these offsets until the download ends, the last offset over and over.
    private func attempts(
        reaching offsets: [Int64],
        policy: RetryPolicy,
        error: DownloadError = .testBreak,
        atMost limit: Int = 60
    ) -> Int {
        var machine = DownloadMachine(policy: policy)
        _ = machine.handle(.begin)
        for attempt in 1...limit {
            _ = machine.handle(.attemptStarted(attempt))
            let reached = offsets[min(attempt, offsets.count) - 1]
            _ = machine.handle(.failed(attempt, error, reached: reached, retryAfter: nil))
            if machine.state.isTerminal { return attempt }
            _ = machine.handle(.retryDue(attempt))
        }
        return .max
    }

    @Test(
        "A download is given up when its retries bring nothing new",
        arguments: [
            ([0], 5, 6),
            ([0], 1, 2),
            // The first try is no retry: what it brings is not counted.
            ([100], 2, 3),
            // An advance starts the count again.
            ([0, 10], 2, 4),
            ([0, 0, 10, 10, 20, 20], 2, 7),
            // Less than before is no advance, nor is the same again.
            ([100, 50, 100], 2, 3),
            ([100, 50, 101, 101], 2, 5),
            // What brings little for each request does not go on for ever.
            (Array(1...60), 1, 17),
            (Array(1...60), 5, 21),
            ((1...60).map { $0 << 16 }, 1, .max),
            ((1...60).map { ($0 / 17) << 16 + $0 }, 1, .max),
            ([0], 0, 1),
            ([0], -1, 1),
            ([.min], 3, 4),
            ([.max], 3, 4),
        ] as [([Int64], Int, Int)]
    )
    func givingUp(offsets: [Int64], retries: Int, expected: Int) {
        #expect(attempts(reaching: offsets, policy: RetryPolicy(maxRetriesWithoutProgress: retries)) == expected)
    }

    @Test func thePolicyNeverMakesTheFirstFailureFinalThoughBytesCame() {
        #expect(attempts(reaching: [100], policy: .never) == 1)
    }

    @Test func bytesThatTookTooManyRequestsAreNoProgress() {
        var machine = DownloadMachine(policy: RetryPolicy(maxRetriesWithoutProgress: 2))
        _ = machine.handle(.begin)
        for attempt in 1...3 {
            #expect(!machine.state.isTerminal)
            _ = machine.handle(.attemptStarted(attempt))
            let reached = Int64(attempt) << 20
            _ = machine.handle(.failed(attempt, .testBreak, reached: reached, retryAfter: nil, isFutile: true))
            _ = machine.handle(.retryDue(attempt))
        }
        #expect(machine.state.isTerminal)
    }

    @Test func oneThatIsTurnedAwayWhileItRunsWaitsAgainAndCountsForNothing() {
        var machine = DownloadMachine(policy: .never)
        _ = machine.handle(.begin)
        for attempt in 1...20 {
            _ = machine.handle(.attemptStarted(attempt))
            #expect(machine.handle(.turnedAway(attempt)) == [.notify(isEnd: false), .leave, .enqueue(attempt + 1)])
        }
    }

    @Test func aFailureThatIsNotRetryableIsFinalThoughBytesCame() {
        let error = DownloadError(.tls, "Not trusted.")
        #expect(attempts(reaching: [100], policy: RetryPolicy(), error: error) == 1)
    }

    @Test func theWaitsDoubleAndStartAgainAfterAnAdvance() {
        let policy = RetryPolicy(firstDelay: .seconds(1), maximumDelay: .seconds(60))
        var machine = DownloadMachine(policy: policy)
        _ = machine.handle(.begin)
        let waits = ([0, 0, 0, 0, 10, 10, 10] as [Int64]).enumerated().map { index, reached -> Duration? in
            let attempt = index + 1
            _ = machine.handle(.attemptStarted(attempt))
            let event = DownloadMachine.Event.failed(attempt, .testBreak, reached: reached, retryAfter: nil)
            let actions = machine.handle(event, jitter: 1)
            _ = machine.handle(.retryDue(attempt))
            guard case .wait(attempt, let wait) = actions.first else { return nil }
            return wait
        }
        #expect(waits == [1, 2, 4, 8, 1, 2, 4].map { .seconds($0) })
    }

    @Test(
        "A name that does not exist gets one retry, until it is found",
        arguments: [([true], 2), ([false], 6), ([true, false], 6)]
    )
    func unknownNames(failures: [Bool], expected: Int) {
        var machine = DownloadMachine(policy: RetryPolicy())
        _ = machine.handle(.begin)
        for attempt in 1...expected {
            #expect(!machine.state.isTerminal)
            _ = machine.handle(.attemptStarted(attempt))
            let isUnknown = failures[min(attempt, failures.count) - 1]
            _ = machine.handle(.failed(attempt, .testBreak, reached: 0, retryAfter: nil, hasNoSuchName: isUnknown))
            _ = machine.handle(.retryDue(attempt))
        }
        #expect(machine.state.isTerminal)
    }

    /// The next tries that a machine states, attempt by attempt.
    private func nextTries(
        _ policy: RetryPolicy,
        reaching offsets: [Int64],
        noSuchNames: Set<Int> = []
    ) -> [String] {
        var machine = DownloadMachine(policy: policy)
        _ = machine.handle(.begin)
        return offsets.enumerated().compactMap { index, offset in
            let attempt = index + 1
            _ = machine.handle(.attemptStarted(attempt))
            let isUnknown = noSuchNames.contains(attempt)
            _ = machine.handle(
                .failed(attempt, .testBreak, reached: offset, retryAfter: nil, hasNoSuchName: isUnknown)
            )
            defer { _ = machine.handle(.retryDue(attempt)) }
            switch machine.state {
            case .waiting(.retry(_, let error)): return error.nextTry?.description ?? "none"
            case .failed(let error): return error.nextTry == nil ? "failed" : "a try after the end"
            default: return nil
            }
        }
    }

    @Test func eachFailureNamesTheTryThatFollows() {
        let five = (2...6).map { "try \($0) of 6" }
        #expect(nextTries(RetryPolicy(), reaching: [0, 0, 0, 0, 0, 0]) == five + ["failed"])
        // Progress begins the count again.
        #expect(nextTries(RetryPolicy(), reaching: [0, 0, 10, 10]) == [five[0], five[1], five[0], five[1]])
        #expect(nextTries(RetryPolicy(maxRetriesWithoutProgress: .max), reaching: [0, 0]) == ["try 2", "try 3"])
        #expect(nextTries(.never, reaching: [0]) == ["failed"])
        #expect(nextTries(RetryPolicy(), reaching: [0, 0], noSuchNames: [1, 2]) == ["try 2 of 2", "failed"])
        #expect(nextTries(RetryPolicy(), reaching: [0, 0], noSuchNames: [1]) == ["try 2 of 2", "try 3 of 6"])
    }

    @Test func aResumeByHandStartsTheCountAgain() {
        var machine = DownloadMachine(policy: RetryPolicy(maxRetriesWithoutProgress: 1))
        _ = machine.handle(.begin)
        for attempt in 1...20 {
            _ = machine.handle(.attemptStarted(attempt))
            _ = machine.handle(MachineEvent.failed.of(attempt))
            #expect(Standing(machine.state) == .waitsForRetry)
            if attempt.isMultiple(of: 2) { _ = machine.handle(.pause) }
            _ = machine.handle(.resume)
        }
    }

    @Test func aServersRetryAfterIsTheLeastWaitAndTheStateHasItsTime() {
        var machine = MachineSetting.running.machine()
        let now = Date(timeIntervalSince1970: 1_000_000)
        let event = DownloadMachine.Event.failed(1, .testBreak, reached: 0, retryAfter: .seconds(30))
        #expect(machine.handle(event, date: now, jitter: 0) == [.wait(1, .seconds(30)), .notify(isEnd: false)])
        guard case .waiting(.retry(let time, let error)) = machine.state else {
            return #expect(Bool(false), "it does not wait for a retry")
        }
        #expect(time == now.addingTimeInterval(30) && error.code == .connectionFailed)
    }
}
