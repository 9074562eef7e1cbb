import Foundation
import TestSupport
import Testing

@testable import Spate

/// What holds whatever happens in whatever order.
@Suite struct DownloadMachinePropertyTests {
    @Test(arguments: 1...8 as ClosedRange<UInt64>)
    func everySequenceKeepsTheRulesAndHasOneEnd(seed: UInt64) {
        var random = SeededRandom(seed: seed)
        for _ in 0..<1_000 {
            var follower = MachineFollower(policy: RetryPolicy(maxRetriesWithoutProgress: random.below(4)))
            for _ in 0..<random.below(40) {
                let attempt = random.below(follower.lastAttempt + 1)
                // Often the attempt that is wanted, for else most of what is said is late.
                let speaker = Bool.random(using: &random) ? follower.wanted ?? attempt : attempt
                guard let event = MachineEvent.allCases.randomElement(using: &random) else { continue }
                follower.feed(event, of: speaker, reached: Int64(random.below(50)))
            }
            follower.feed(.delete, of: 0, reached: 0)
            if follower.ends != 1 { follower.faults.append("\(follower.ends) ends were notified") }
            if !follower.faults.isEmpty {
                Issue.record("\(follower.faults) after \(follower.log)")
                return
            }
        }
    }
}

/// Does what a machine says and notes where it contradicts itself.
private struct MachineFollower {
    var faults: [String] = []
    private(set) var log: [(DownloadMachine.Event, [DownloadMachine.Action])] = []
    private(set) var ends = 0
    /// The attempt that is queued or running, as far as the actions tell.
    private(set) var wanted: Int?
    private(set) var lastAttempt = 0
    private var timer: Int?
    private var machine: DownloadMachine

    init(policy: RetryPolicy) {
        machine = DownloadMachine(policy: policy)
    }

    mutating func feed(_ kind: MachineEvent, of attempt: Int, reached: Int64) {
        var event = kind.of(attempt)
        if kind == .failed { event = .failed(attempt, .testBreak, reached: reached, retryAfter: nil) }
        let before = Standing(machine.state)
        let actions = machine.handle(event)
        let after = Standing(machine.state)
        log.append((event, actions))

        if ends > 0, !actions.isEmpty { faults.append("it acts after its end") }
        // An attempt that has spoken its last word is nobody's any more.
        switch kind {
        case .failed, .failedForGood, .finished: if attempt == wanted, !actions.isEmpty { wanted = nil }
        default: break
        }
        for action in actions { follow(action) }
        let notifies = actions.contains(.notify(isEnd: false)) || actions.contains(.notify(isEnd: true))
        if !actions.isEmpty, !notifies { faults.append("it acts and notifies nobody") }
        if before != after, !notifies { faults.append("it went from \(before) to \(after) and notified nobody") }
        // A download waits for a slot from the first.
        if before == after, notifies, kind != .begin { faults.append("it notified of \(after) again") }
        if after.isTerminal != (ends > 0) { faults.append("it did not notify of its end") }
        let hasAttempt = [.running, .waitsForDisk].contains(after) || after == .waitsForSlot && lastAttempt > 0
        if hasAttempt != (wanted != nil) {
            faults.append("it is \(after) with \(wanted.map(String.init) ?? "no") attempt wanted")
        }
        if after == .waitsForRetry, timer == nil { faults.append("it waits for nothing") }
        if let wanted, !machine.awaits(wanted), !machine.isRunning(wanted) { faults.append("it forgot \(wanted)") }
    }

    private mutating func follow(_ action: DownloadMachine.Action) {
        switch action {
        case .enqueue(let attempt):
            if let wanted { faults.append("\(attempt) is wanted beside \(wanted)") }
            if attempt <= lastAttempt { faults.append("\(attempt) comes after \(lastAttempt)") }
            (wanted, lastAttempt, timer) = (attempt, attempt, nil)
        case .abandon(let attempt):
            if wanted != attempt { faults.append("it abandons \(attempt), which nobody wants") }
            wanted = nil
        case .wait(let attempt, let wait):
            if wanted != nil { faults.append("it waits while an attempt is wanted") }
            if attempt != lastAttempt || wait < .zero { faults.append("it waits \(wait) for \(attempt)") }
            timer = attempt
        case .notify(isEnd: false): break
        case .notify(isEnd: true):
            if wanted != nil { faults.append("it ends while an attempt is wanted") }
            ends += 1
        }
    }
}
