import Testing

@testable import Spate

@Suite struct RetryPolicyTests {
    @Test(
        "The limit of the delay doubles up to the maximum",
        arguments: [
            (1, 1), (2, 2), (3, 4), (6, 32), (7, 60), (8, 60), (33, 60), (64, 60), (.max, 60), (0, 1), (.min, 1),
        ]
    )
    func doubling(retry: Int, seconds: Int) {
        #expect(RetryPolicy().delay(before: retry, retryAfter: nil, fraction: 1) == .seconds(seconds))
    }

    @Test(
        "Jitter takes any part of the limit and no more",
        arguments: [(0.0, 0), (0.5, 4), (1, 8), (-3, 0), (7, 8)]
    )
    func jitter(fraction: Double, seconds: Int) {
        #expect(RetryPolicy().delay(before: 4, retryAfter: nil, fraction: fraction) == .seconds(seconds))
    }

    @Test(
        "Retry-After is the shortest delay, within bounds, and jitter adds at most the first delay",
        arguments: [(30, 0.0, 30), (30, 1, 31), (300, 0, 300), (301, 0, 300), (.max, 1, 301), (0, 1, 1), (-5, 0, 0)]
            as [(Int64, Double, Int)]
    )
    func retryAfter(asked: Int64, fraction: Double, seconds: Int) {
        let delay = RetryPolicy().delay(before: 9, retryAfter: .seconds(asked), fraction: fraction)
        #expect(delay == .seconds(seconds))
    }

    /// For one download and for its host, at most a day.
    @Test func aRetryAfterIsHonouredAsLongAsTheProgramSays() {
        let asked = [-1, 5, 300, 3_600, 86_400, Int64.max]
        let policies = asked.map { RetryPolicy(maximumRetryAfter: .seconds($0)) }
        #expect(policies.map(\.longestWait) == [0, 5, 300, 3_600, 86_400, 86_400].map { .seconds($0) })
        #expect(RetryPolicy().longestWait == .seconds(300))
        let delays = policies.map { $0.delay(before: 1, retryAfter: .seconds(Int64.max), fraction: 0) }
        #expect(delays == policies.map(\.longestWait))
    }

    /// Durations that a program may set by mistake, or to mean "for ever".
    private static let absurd: [Duration] = [
        .seconds(Int64.min), .seconds(-1), .zero, .nanoseconds(1), .seconds(86_400), .seconds(Int64.max),
    ]

    @Test(arguments: absurd, absurd)
    func extremeValuesNeitherOverflowNorGiveANegativeDelay(first: Duration, maximum: Duration) {
        for retryAfter in [nil] + Self.absurd {
            for maximumRetryAfter in Self.absurd {
                let policy = RetryPolicy(
                    firstDelay: first,
                    maximumDelay: maximum,
                    maximumRetryAfter: maximumRetryAfter
                )
                let delays = [Int.min, 0, 1, 2, 40, .max].flatMap { retry in
                    [0, 0.3, 1].map { policy.delay(before: retry, retryAfter: retryAfter, fraction: $0) }
                }
                #expect(delays.allSatisfy { $0 >= .zero })
            }
        }
    }

    @Test func aFirstDelayBeyondTheMaximumIsCutToIt() {
        let policy = RetryPolicy(firstDelay: .seconds(100), maximumDelay: .seconds(7))
        #expect(policy.delay(before: 1, retryAfter: nil, fraction: 1) == .seconds(7))
        #expect(policy.delay(before: 5, retryAfter: nil, fraction: 1) == .seconds(7))
    }
}
