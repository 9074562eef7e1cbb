import Foundation
import SpateHTTPSyntax
import Testing

@testable import Spate

/// Which source follows when one has failed, and when.
@Suite struct DownloadMachineMirrorTests {
    /// The failure of an attempt: temporary, permanent or of the disk, with or without received bytes.
    enum Met: Sendable { case broken, gone, full, brokenAfterBytes, goneAfterBytes }

    /// The source that the next attempt asks, and whether at once; `nil` if the download has ended.
    struct Next: Equatable, Sendable {
        let source: Int
        let isAtOnce: Bool
    }

    private static func at(_ source: Int) -> Next? { Next(source: source, isAtOnce: true) }
    private static func later(_ source: Int) -> Next? { Next(source: source, isAtOnce: false) }

    private static func machine(_ mirrors: Int, retries: Int, isVerified: Bool = false) throws -> DownloadMachine {
        let policy = RetryPolicy(
            maxRetriesWithoutProgress: retries,
            firstDelay: .seconds(10),
            maximumDelay: .seconds(1_000)
        )
        var machine = DownloadMachine(policy: policy)
        let urls = try (0..<mirrors).map { try HTTPURL("http://mirror\($0)/f") }
        machine.sources.add(mirrors: urls, isVerified: isVerified, isNamed: true)
        _ = machine.handle(.begin)
        return machine
    }

    /// What follows each of these failures, a second after the other or, where the machine says so, later.
    private static func answers(
        to failures: [Met],
        _ machine: inout DownloadMachine,
        from first: Int = 1
    ) -> [Next?] {
        var now = ContinuousClock.now
        return failures.enumerated().map { index, met in
            let attempt = first + index
            _ = machine.handle(.attemptStarted(attempt))
            let reached = Int64([.brokenAfterBytes, .goneAfterBytes].contains(met) ? 1_000 * attempt : 0)
            let error: DownloadError =
                switch met {
                case .broken, .brokenAfterBytes: .testBreak
                case .gone, .goneAfterBytes: DownloadError(.httpStatus, "Gone.")
                case .full: DownloadError(.diskFull, "Full.", isRetryable: true)
                }
            now += .seconds(1)
            let actions = machine.handle(
                .failed(attempt, error, reached: reached, retryAfter: nil),
                now: now,
                // Somebody sets the clock back by an hour each time.
                date: Date(timeIntervalSince1970: Double(1_000_000 - 3_600 * index)),
                jitter: 1
            )
            guard case .wait(attempt, let wait) = actions.first else { return nil }
            now += wait
            _ = machine.handle(.retryDue(attempt))
            return Next(source: machine.sources.current, isAtOnce: wait == .zero)
        }
    }

    /// Each place counts its own tries.
    @Test func aFailureNamesTheTryAtThePlaceThatIsAskedNext() throws {
        var machine = try Self.machine(1, retries: 1)
        var tries: [String?] = []
        for attempt in 1...3 {
            _ = machine.handle(.attemptStarted(attempt))
            _ = machine.handle(.failed(attempt, .testBreak, reached: 0, retryAfter: nil))
            if case .waiting(.retry(_, let error)) = machine.state { tries.append(error.nextTry?.description) }
            _ = machine.handle(.retryDue(attempt))
        }
        #expect(tries == ["try 1 of 2", "try 2 of 2", "try 2 of 2"])
    }

    @Test(
        arguments: [
            // All are tried at once, in order; then each again when its own wait is over, as often as a single one.
            (
                2, 1, [.broken, .broken, .broken, .broken, .broken, .broken],
                [at(1), at(2), later(0), at(1), at(2), nil]
            ),
            (
                1, 2, [.broken, .broken, .broken, .broken, .broken, .broken],
                [at(1), later(0), at(1), later(0), at(1), nil]
            ),
            (1, 0, [.broken, .broken], [at(1), nil]),
            // One that says no is not asked again.
            (2, 1, [.gone, .gone, .gone], [at(1), at(2), nil]),
            (1, 1, [.gone, .broken, .broken], [at(1), later(1), nil]),
            (1, 1, [.broken, .gone, .broken], [at(1), later(0), nil]),
            // No other place helps against this.
            (1, 1, [.full, .full], [later(0), nil]),
            // One that brings bytes is asked for the rest, as long as it may.
            (1, 1, [.brokenAfterBytes, .broken, .broken], [later(0), at(1), later(1)]),
            (1, 1, [.goneAfterBytes, .gone], [at(1), nil]),
            (1, 0, [.brokenAfterBytes], [at(1)]),
        ] as [(Int, Int, [Met], [Next?])]
    )
    func anotherPlaceIsAskedAtOnce(mirrors: Int, retries: Int, failures: [Met], expected: [Next?]) throws {
        var machine = try Self.machine(mirrors, retries: retries)
        #expect(Self.answers(to: failures, &machine) == expected)
    }

    /// What one place has brought goes on at any other.
    @Test func withAChecksumAnotherPlaceIsAskedAlsoAfterBytes() throws {
        var machine = try Self.machine(1, retries: 1, isVerified: true)
        #expect(Self.answers(to: [.brokenAfterBytes, .brokenAfterBytes], &machine) == [Self.at(1), Self.later(0)])
    }

    @Test func placesThatAreFoundOnTheWayComeLast() throws {
        var machine = try Self.machine(1, retries: 0)
        machine.sources.add(
            mirrors: [try HTTPURL("http://mirror0/f"), try HTTPURL("http://found/f")],
            isVerified: false,
            isNamed: true
        )
        #expect(Self.answers(to: [.gone, .gone], &machine) == [Self.at(1), Self.at(2)])
        #expect(machine.sources.mirror?.text == "http://found/f")
        var alone = try Self.machine(0, retries: 0)
        alone.sources.add(mirrors: [try HTTPURL("http://found/f")], isVerified: false, isNamed: true)
        #expect(Self.answers(to: [.gone, .gone], &alone) == [Self.at(1), nil])
    }

    @Test func aServerCannotNamePlacesWithoutEnd() throws {
        var machine = try Self.machine(0, retries: 0)
        machine.sources.add(
            mirrors: try (0..<1_000).map { try HTTPURL("http://found\($0)/f") },
            isVerified: false,
            isNamed: true
        )
        let asked = Self.answers(to: Array(repeating: .gone, count: 1_000), &machine).count { $0 != nil }
        #expect(asked == 63)
    }

    @Test func resumingForgetsWhichPlacesFailed() throws {
        var machine = try Self.machine(1, retries: 1)
        #expect(Self.answers(to: [.gone, .broken], &machine) == [Self.at(1), Self.later(1)])
        _ = machine.handle(.pause)
        _ = machine.handle(.resume)
        #expect(machine.sources.current == 1)
        #expect(Self.answers(to: [.gone, .broken], &machine, from: 4) == [Self.at(0), Self.later(0)])
    }

    @Test func aMirrorThatJoinsDuringAWaitLeavesTheURLItsTries() throws {
        var machine = try Self.machine(0, retries: 1)
        let broken = { (attempt: Int) in
            DownloadMachine.Event.failed(attempt, .testBreak, reached: 0, retryAfter: nil, part: .fixed)
        }
        _ = machine.handle(.attemptStarted(1))
        _ = machine.handle(broken(1), jitter: 1)
        machine.sources.add(mirrors: [try HTTPURL("http://found/f")], isVerified: false, isNamed: true)
        _ = machine.handle(.retryDue(1))
        _ = machine.handle(.attemptStarted(2))
        // That was its only retry.
        #expect(machine.handle(broken(2), jitter: 1).first == .wait(2, .zero))
        #expect(machine.sources.current == 1 && machine.sources.beginsAnew)
    }

    /// The second partial file is far behind the first.
    @Test func aMirrorThatBeginsAnewCountsItsOwnBytes() throws {
        var machine = try Self.machine(1, retries: 1)
        let far: Int64 = 1 << 30
        _ = machine.handle(.attemptStarted(1))
        let gone = DownloadError(.httpStatus, "Gone.")
        _ = machine.handle(.failed(1, gone, reached: far, retryAfter: nil, part: .fixed))
        _ = machine.handle(.retryDue(1))
        #expect(machine.sources.current == 1 && machine.sources.beginsAnew)
        for attempt in 2...10 {
            _ = machine.handle(.attemptStarted(attempt))
            _ = machine.handle(.failed(attempt, .testBreak, reached: Int64(attempt) << 20, retryAfter: nil))
            #expect(!machine.state.isTerminal, "given up at attempt \(attempt)")
            _ = machine.handle(.retryDue(attempt))
        }
    }

    @Test func theErrorSaysThatAllFailed() throws {
        for (mirrors, remark) in [
            (1, "The other place of the file failed, too."), (2, "The 2 other places of the file failed, too."),
        ] {
            var machine = try Self.machine(mirrors, retries: 0)
            _ = Self.answers(to: Array(repeating: .gone, count: mirrors + 1), &machine)
            guard case .failed(let error) = machine.state else {
                Issue.record("\(machine.state)")
                continue
            }
            #expect(error.message == "Gone. \(remark)")
        }
    }
}
