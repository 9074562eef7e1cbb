import Foundation
import SpateFilePaths
import SpatePartialFiles
import Testing

@testable import Spate

@Suite struct DownloadMachineTests {
    struct Consequence {
        var standing: Standing
        var actions: [DownloadMachine.Action]
    }

    /// What each event leads to, where it leads to anything.
    private static let table: [MachineSetting: [MachineEvent: Consequence]] = [
        .idle: [
            .begin: Consequence(standing: .waitsForSlot, actions: [.notify(isEnd: false), .enqueue(1)]),
            .pause: Consequence(standing: .paused, actions: [.notify(isEnd: false)]),
            .cancel: Consequence(standing: .cancelled, actions: [.notify(isEnd: true)]),
            .endAtOnce: Consequence(standing: .finished, actions: [.notify(isEnd: true)]),
        ],
        .queued: [
            .waitsForHost: Consequence(standing: .waitsForHost, actions: [.notify(isEnd: false)]),
            .turnedAway: Consequence(standing: .waitsForSlot, actions: [.enqueue(1)]),
            .started: Consequence(standing: .running, actions: [.notify(isEnd: false)]),
            .pause: Consequence(standing: .paused, actions: [.abandon(1), .notify(isEnd: false)]),
            .cancel: Consequence(standing: .cancelled, actions: [.abandon(1), .notify(isEnd: true)]),
        ],
        .waitingForHost: [
            .turnedAway: Consequence(standing: .waitsForHost, actions: [.enqueue(1)]),
            .started: Consequence(standing: .running, actions: [.notify(isEnd: false)]),
            .pause: Consequence(standing: .paused, actions: [.abandon(1), .notify(isEnd: false)]),
            .resume: Consequence(
                standing: .waitsForSlot,
                actions: [.abandon(1), .notify(isEnd: false), .enqueue(2)]
            ),
            .cancel: Consequence(standing: .cancelled, actions: [.abandon(1), .notify(isEnd: true)]),
        ],
        .running: [
            .turnedAway: Consequence(standing: .waitsForSlot, actions: [.notify(isEnd: false), .leave, .enqueue(2)]),
            .failed: Consequence(standing: .waitsForRetry, actions: [.wait(1, .seconds(1)), .notify(isEnd: false)]),
            .failedForGood: Consequence(standing: .failed, actions: [.notify(isEnd: true)]),
            .waitsForDisk: Consequence(standing: .waitsForDisk, actions: [.notify(isEnd: false)]),
            .finished: Consequence(standing: .finished, actions: [.notify(isEnd: true)]),
            .timeIsUp: Consequence(standing: .failed, actions: [.abandon(1), .notify(isEnd: true)]),
            .pause: Consequence(standing: .paused, actions: [.abandon(1), .notify(isEnd: false)]),
            .cancel: Consequence(standing: .cancelled, actions: [.abandon(1), .notify(isEnd: true)]),
        ],
        .saving: [
            .turnedAway: Consequence(standing: .waitsForSlot, actions: [.notify(isEnd: false), .leave, .enqueue(2)]),
            .failed: Consequence(standing: .waitsForRetry, actions: [.wait(1, .seconds(1)), .notify(isEnd: false)]),
            .failedForGood: Consequence(standing: .failed, actions: [.notify(isEnd: true)]),
            .finished: Consequence(standing: .finished, actions: [.notify(isEnd: true)]),
            .timeIsUp: Consequence(standing: .failed, actions: [.abandon(1), .notify(isEnd: true)]),
            .pause: Consequence(standing: .paused, actions: [.abandon(1), .notify(isEnd: false)]),
            .cancel: Consequence(standing: .cancelled, actions: [.abandon(1), .notify(isEnd: true)]),
        ],
        .publishing: [
            .didNotPublish: Consequence(standing: .running, actions: []),
            .isPublished: Consequence(standing: .waitsForDisk, actions: [.notify(isEnd: false)]),
            .finished: Consequence(standing: .finished, actions: [.notify(isEnd: true)]),
            .delete: Consequence(standing: .cancelled, actions: [.abandon(1), .notify(isEnd: true)]),
        ],
        .syncing: [
            .didNotPublish: Consequence(standing: .waitsForDisk, actions: []),
            .finished: Consequence(standing: .finished, actions: [.notify(isEnd: true)]),
            .delete: Consequence(standing: .cancelled, actions: [.abandon(1), .notify(isEnd: true)]),
        ],
        .retrying: [
            .retryDue: Consequence(standing: .waitsForSlot, actions: [.notify(isEnd: false), .enqueue(2)]),
            .timeIsUp: Consequence(standing: .failed, actions: [.notify(isEnd: true)]),
            .resume: Consequence(standing: .waitsForSlot, actions: [.notify(isEnd: false), .enqueue(2)]),
            .pause: Consequence(standing: .paused, actions: [.notify(isEnd: false)]),
            .cancel: Consequence(standing: .cancelled, actions: [.notify(isEnd: true)]),
        ],
        .paused: [
            .join: Consequence(standing: .waitsForSlot, actions: [.notify(isEnd: false), .enqueue(2)]),
            .resume: Consequence(standing: .waitsForSlot, actions: [.notify(isEnd: false), .enqueue(2)]),
            .cancel: Consequence(standing: .cancelled, actions: [.notify(isEnd: true)]),
        ],
        .finished: [:],
        .failed: [:],
        .cancelled: [:],
    ]

    @Test(arguments: MachineSetting.allCases, MachineEvent.allCases)
    func everyEventHasItsConsequenceOrNone(setting: MachineSetting, event: MachineEvent) throws {
        var machine = setting.machine()
        let before = Standing(machine.state)
        let actions = machine.handle(event.of(1), jitter: 1)
        let table = try #require(Self.table[setting])
        // A deletion is a cancellation that never comes too late.
        let expected = table[event] ?? (event == .delete ? table[.cancel] : nil)
        #expect(actions == expected?.actions ?? [])
        #expect(Standing(machine.state) == expected?.standing ?? before)
    }

    @Test(arguments: MachineEvent.allCases) func theTableHasEveryEventOfTheMachine(event: MachineEvent) {
        #expect(MachineEvent.all(like: event.of(1)).contains(event))
    }

    @Test(arguments: MachineSetting.allCases.filter { $0 != .idle }, MachineEvent.reports)
    func aReportOfAnotherAttemptChangesNothing(setting: MachineSetting, event: MachineEvent) {
        for stranger in [0, 1, 3] {
            var machine = setting.machine(attempt: 2)
            let before = Standing(machine.state)
            #expect(machine.handle(event.of(stranger)) == [], "from attempt \(stranger)")
            #expect(Standing(machine.state) == before)
        }
    }

    @Test(arguments: MachineSetting.allCases.filter { $0 != .idle })
    func onlyTheAttemptThatRunsMayPublishAndOnlyTheQueuedOneMayBegin(setting: MachineSetting) {
        let machine = setting.machine(attempt: 2)
        #expect(machine.isRunning(2) == [.running, .saving, .publishing, .syncing].contains(setting))
        #expect(machine.isPublishing(2) == (setting == .publishing))
        #expect(machine.awaits(2) == [.queued, .waitingForHost].contains(setting))
        #expect(!machine.isRunning(1) && !machine.isRunning(3) && !machine.awaits(1) && !machine.awaits(3))
    }

    @Test(
        arguments: [MachineSetting.publishing, .syncing],
        [
            ([.pause], .paused), ([.cancel], .cancelled), ([.pause, .cancel], .cancelled),
            ([.cancel, .pause], .cancelled), ([.pause, .resume], nil), ([], nil),
        ] as [([MachineEvent], Standing?)]
    )
    func whatComesTooLateCountsIfTheFileGetsNoName(setting: MachineSetting, late: ([MachineEvent], Standing?)) {
        let (events, standing) = late
        var machine = setting.machine()
        for event in events { #expect(machine.handle(event.of(1)) == []) }
        let actions = machine.handle(.attemptDidNotPublish(1))
        #expect(machine.isRunning(1) == (standing == nil))
        if let standing { #expect(Standing(machine.state) == standing) }
        #expect(actions.contains(.abandon(1)) == (standing != nil))
        // The next try begins anew.
        _ = machine.handle(.attemptPublishes(1))
        #expect(machine.isPublishing(1) == (standing == nil))
    }

    /// What comes before the beginning, what the last event leads to, and where.
    @Test(
        arguments: [
            ([.pause, .begin], [], .paused),
            ([.pause, .begin, .resume], [.notify(isEnd: false), .enqueue(1)], .waitsForSlot),
            ([.pause, .endAtOnce], [.notify(isEnd: true)], .finished),
            ([.cancel, .begin], [], .cancelled),
        ] as [([MachineEvent], [DownloadMachine.Action], Standing)]
    )
    func whatComesBeforeTheBeginningHolds(
        events: [MachineEvent],
        actions: [DownloadMachine.Action],
        standing: Standing
    ) {
        var machine = DownloadMachine(policy: RetryPolicy())
        let all = events.map { machine.handle($0.of(1)) }
        #expect(all.last == actions && Standing(machine.state) == standing)
    }

    @Test func theTimerOfARetryThatWasPausedDoesNotWakeTheNextOne() {
        var machine = MachineSetting.retrying.machine()
        _ = machine.handle(.pause)
        #expect(machine.handle(.retryDue(1)) == [])
        #expect(machine.handle(.resume) == [.notify(isEnd: false), .enqueue(2)])
        _ = machine.handle(.attemptStarted(2))
        _ = machine.handle(MachineEvent.failed.of(2))
        #expect(machine.handle(.retryDue(1)) == [])
        #expect(Standing(machine.state) == .waitsForRetry)
        #expect(machine.handle(.retryDue(2)) == [.notify(isEnd: false), .enqueue(3)])
    }

    @Test func theEndCarriesWhatItWasGiven() {
        var finished = MachineSetting.running.machine()
        _ = finished.handle(.attemptFinished(1, FinalPath(folder: "/", name: "here")))
        guard case .finished(let file) = finished.state else { return #expect(Bool(false), "no file") }
        #expect(file.path == "/here" && finished.end?.state.isFinished == true)
        let failed = MachineSetting.failed.machine()
        guard case .failed(let error) = failed.state else { return #expect(Bool(false), "no error") }
        guard case .failed(let end)? = failed.end else { return #expect(Bool(false), "no failure") }
        #expect(error.code == .httpStatus && end.code == .httpStatus)
        guard case .cancelled? = MachineSetting.cancelled.machine().end else {
            return #expect(Bool(false), "no cancellation")
        }
        #expect(MachineSetting.running.machine().end == nil)
    }
}
