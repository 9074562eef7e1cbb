import Foundation
import SpateFilePaths
import SpateHTTPResumption
import SpatePartialFiles

@testable import Spate

/// A machine in each of its phases.
enum MachineSetting: CaseIterable, Sendable {
    case idle, queued, waitingForHost, running, saving, publishing, syncing, retrying, paused
    case finished, failed, cancelled

    /// A machine that has come here with its first attempt, or with its second after a pause.
    func machine(attempt: Int = 1) -> DownloadMachine {
        var machine = DownloadMachine(policy: RetryPolicy())
        for event in arrival(attempt) { _ = machine.handle(event, jitter: 1) }
        return machine
    }

    private func arrival(_ attempt: Int) -> [DownloadMachine.Event] {
        let queued: [DownloadMachine.Event] = attempt == 1 ? [.begin] : [.begin, .pause, .resume]
        let running = queued + [.attemptStarted(attempt)]
        return switch self {
        case .idle: []
        case .queued: queued
        case .waitingForHost: queued + [MachineEvent.waitsForHost.of(attempt)]
        case .running: running
        case .saving: running + [MachineEvent.waitsForDisk.of(attempt)]
        case .publishing: running + [MachineEvent.publishes.of(attempt)]
        case .syncing: running + [MachineEvent.publishes.of(attempt), MachineEvent.isPublished.of(attempt)]
        case .retrying: running + [MachineEvent.failed.of(attempt)]
        case .paused: running + [.pause]
        case .finished: running + [MachineEvent.finished.of(attempt)]
        case .failed: running + [MachineEvent.failedForGood.of(attempt)]
        case .cancelled: running + [.cancel]
        }
    }
}

/// The machine's events, for tables.
enum MachineEvent: CaseIterable, Sendable {
    case begin, waitsForHost, turnedAway, started, failed, failedForGood, waitsForDisk, publishes, isPublished
    case didNotPublish, finished, retryDue, timeIsUp, pause, resume, join, cancel, delete, endAtOnce

    /// Those that an attempt or its timer reports.
    static let reports = allCases.filter { event in
        switch event {
        case .waitsForHost, .turnedAway, .started, .failed, .failedForGood, .waitsForDisk, .publishes, .isPublished,
            .didNotPublish, .finished, .retryDue:
            true
        case .begin, .timeIsUp, .pause, .resume, .join, .cancel, .delete, .endAtOnce: false
        }
    }

    func of(_ attempt: Int) -> DownloadMachine.Event {
        switch self {
        case .begin: .begin
        case .waitsForHost: .waitsForHost(attempt)
        case .turnedAway: .turnedAway(attempt)
        case .started: .attemptStarted(attempt)
        case .failed: .failed(attempt, .testBreak, reached: 0, retryAfter: nil)
        case .failedForGood: .failed(attempt, DownloadError(.httpStatus, "No."), reached: 0, retryAfter: nil)
        case .waitsForDisk: .attemptWaitsForDisk(attempt)
        case .publishes: .attemptPublishes(attempt)
        case .isPublished: .attemptIsPublished(attempt)
        case .didNotPublish: .attemptDidNotPublish(attempt)
        case .finished: .attemptFinished(attempt, FinalPath(folder: "/", name: "finished"))
        case .retryDue: .retryDue(attempt)
        case .timeIsUp: .timeIsUp(attempt, .timeIsUp(.seconds(60)))
        case .pause: .pause
        case .resume: .resume
        case .join: .join
        case .cancel: .cancel
        case .delete: .delete
        case .endAtOnce: .endAtOnce(.finished(FinalPath(folder: "/", name: "there")))
        }
    }

    /// Those of a case of the machine. A new one does not compile until it has its own here, which tables then name.
    static func all(like event: DownloadMachine.Event) -> [MachineEvent] {
        switch event {
        case .begin: [.begin]
        case .waitsForHost: [.waitsForHost]
        case .turnedAway: [.turnedAway]
        case .attemptStarted: [.started]
        case .attemptFailed: [.failed, .failedForGood]
        case .attemptWaitsForDisk: [.waitsForDisk]
        case .attemptPublishes: [.publishes]
        case .attemptIsPublished: [.isPublished]
        case .attemptDidNotPublish: [.didNotPublish]
        case .attemptFinished: [.finished]
        case .retryDue: [.retryDue]
        case .timeIsUp: [.timeIsUp]
        case .pause: [.pause]
        case .resume: [.resume]
        case .join: [.join]
        case .cancel: [.cancel]
        case .delete: [.delete]
        case .endAtOnce: [.endAtOnce]
        }
    }
}

extension DownloadMachine.Event {
    /// An attempt has failed, and leaves this.
    static func failed(
        _ attempt: Int,
        _ error: DownloadError,
        reached: Int64,
        retryAfter: Duration?,
        isFutile: Bool = false,
        hasNoSuchName: Bool = false,
        part: FailedAttempt.Part? = nil
    ) -> DownloadMachine.Event {
        var end = FailedAttempt(reached: reached, ResumeHistory())
        (end.retryAfter, end.isFutile, end.part) = (retryAfter, isFutile, part)
        end.hasNoSuchName = hasNoSuchName
        return .attemptFailed(attempt, error, end)
    }
}

extension DownloadError {
    /// A failure that is worth another try.
    static let testBreak = DownloadError(.connectionFailed, "The connection broke.", isRetryable: true)
}
