import Testing

@testable import Spate

/// When a refused request leads to a freshly prepared one at once.
@Suite struct DownloadMachineRenewalTests {
    enum Next: Equatable, Sendable { case atOnce, later, never }

    /// A failed attempt: the status that it met, 0 for a broken connection, and how far the file is.
    private typealias Failure = (status: Int, reached: Int64)

    /// What follows each of these failures, one attempt after the other.
    private func answers(
        to failures: [Failure],
        policy: RetryPolicy = .never,
        prepares: Bool = true,
        pausing: Bool = false
    ) -> [Next] {
        var machine = DownloadMachine(policy: policy, prepares: prepares)
        _ = machine.handle(.begin)
        return failures.enumerated().map { index, failure in
            let attempt = index + 1
            _ = machine.handle(.attemptStarted(attempt))
            let event = DownloadMachine.Event.failed(
                attempt,
                .met(failure.status),
                reached: failure.reached,
                retryAfter: nil
            )
            let actions = machine.handle(event)
            let answer: Next =
                if actions == [.notify(isEnd: false), .enqueue(attempt + 1)] {
                    .atOnce
                } else if case .wait(attempt, _) = actions.first {
                    .later
                } else { .never }
            _ = machine.handle(.retryDue(attempt))
            if pausing { for event in [DownloadMachine.Event.pause, .resume] { _ = machine.handle(event) } }
            return answer
        }
    }

    @Test(
        arguments: [
            (400, .atOnce), (401, .atOnce), (403, .atOnce), (404, .atOnce), (410, .atOnce),
            (402, .never), (405, .never), (407, .never), (409, .never), (416, .never), (451, .never),
            (0, .never), (500, .never), (503, .never),
        ] as [(Int, Next)]
    )
    func theseStatusesAloneLeadToAFreshAttempt(status: Int, next: Next) {
        #expect(answers(to: [(status, 0)]) == [next])
        #expect(answers(to: [(status, 0)], prepares: false) == [.never])
    }

    @Test(
        "It comes again when bytes have advanced, and not before",
        arguments: [
            ([(403, 0), (403, 0)], [.atOnce, .never]),
            ([(403, 0), (404, 0)], [.atOnce, .never]),
            ([(403, 0), (403, 1)], [.atOnce, .atOnce]),
            ([(403, 10), (403, 10)], [.atOnce, .never]),
            ([(403, 10), (403, 5)], [.atOnce, .never]),
            ([(403, 10), (403, 11), (401, 11)], [.atOnce, .atOnce, .never]),
            ([(403, .max), (403, .max)], [.atOnce, .never]),
            // The fresh attempt is no retry; the policy gives it its own.
            ([(403, 0), (0, 0), (0, 0)], [.atOnce, .later, .never]),
            // Nor is it a second one after retries that brought nothing.
            ([(403, 0), (0, 0), (403, 0)], [.atOnce, .later, .never]),
            ([(0, 0), (403, 0), (0, 5), (403, 5)], [.later, .atOnce, .later, .atOnce]),
        ] as [([(Int, Int64)], [Next])]
    )
    func aSecondTime(failures: [(Int, Int64)], expected: [Next]) {
        let found = answers(to: failures, policy: RetryPolicy(maxRetriesWithoutProgress: 1))
        #expect(found == expected)
    }

    @Test func aResumeByHandAllowsAnother() {
        #expect(answers(to: [(403, 0)], pausing: true) == [.atOnce])
        var machine = DownloadMachine(policy: .never, prepares: true)
        for event in [DownloadMachine.Event.begin, .attemptStarted(1), .failure(1, 403), .pause, .resume] {
            _ = machine.handle(event)
        }
        _ = machine.handle(.attemptStarted(3))
        #expect(machine.handle(.failure(3, 403)) == [.notify(isEnd: false), .enqueue(4)])
    }

    @Test func anAttemptKnowsWhyTheOneBeforeItFailed() {
        var machine = DownloadMachine(policy: RetryPolicy(), prepares: true)
        func status(after events: DownloadMachine.Event...) -> Int? {
            for event in events { _ = machine.handle(event) }
            return machine.previousError?.statusCode
        }
        #expect(status(after: .begin, .attemptStarted(1)) == nil)
        #expect(status(after: .failure(1, 401), .attemptStarted(2)) == 401)
        #expect(status(after: .failure(2, 503)) == 503)
        #expect(status(after: .retryDue(2), .attemptStarted(3)) == 503)
        #expect(status(after: .pause, .resume) == nil)
        #expect(status(after: .attemptStarted(4), .failure(4, 503), .pause, .resume) == 503)
    }

    @Test func withoutPreparationNothingOfAFailureIsKept() {
        var machine = DownloadMachine(policy: RetryPolicy())
        for event in [DownloadMachine.Event.begin, .attemptStarted(1), .failure(1, 503)] { _ = machine.handle(event) }
        #expect(machine.previousError == nil)
    }
}

extension DownloadMachine.Event {
    fileprivate static func failure(_ attempt: Int, _ status: Int) -> Self {
        .failed(attempt, .met(status), reached: 0, retryAfter: nil)
    }
}

extension DownloadError {
    /// An error status, or for 0 a broken connection.
    fileprivate static func met(_ status: Int) -> DownloadError {
        if status == 0 { return .testBreak }
        return DownloadError(.httpStatus, "No.", isRetryable: status >= 500, statusCode: status)
    }
}
