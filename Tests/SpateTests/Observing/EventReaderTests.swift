import Foundation
import SpateLocking
import SpateTestSupport
import SpateTiming
import Testing

@testable import Spate

@Suite(.takesTurns) struct EventReaderTests {
    private let silent: SilentManager
    private let download: Download

    init() throws {
        silent = try SilentManager()
        download = silent.pausedDownload("f")
    }

    private func notify(_ reader: EventReader, _ event: DownloadEvent) {
        reader.note(event, of: download)
        reader.act()
    }

    private func state(_ name: String) -> DownloadEvent { .state(.waiting(.retry(at: .now, after: Self.error(name)))) }

    private static func error(_ name: String) -> DownloadError { DownloadError(.timedOut, name) }

    private func rest(of reader: EventReader) async throws -> [String] {
        try await withDeadline {
            var texts: [String] = []
            while let (_, event) = await reader.next() { texts.append(event.text) }
            return texts
        }
    }

    @Test func whatWasNotedBeforeTheCloseIsReadAndWhatComesLaterIsNot() async throws {
        let reader = EventReader(.manager)
        notify(reader, state("last"))
        reader.close()
        notify(reader, state("late"))
        reader.close()
        #expect(try await rest(of: reader) == ["last"])
        #expect(try await rest(of: reader) == [])
    }

    @Test func theEndOfADownloadEndsTheReaderOfItsEvents() async throws {
        let reader = EventReader(.download)
        for event in [state("a"), .state(.cancelled), state("late")] { notify(reader, event) }
        #expect(try await rest(of: reader) == ["a", "cancelled"])
    }

    @Test func whoWaitsForTheEndIsResumedByNothingElse() async throws {
        let reader = EndsReader(on: .native, rest: nil)
        let task = Task { await reader.next() }
        try await eventually("the task waits") { reader.hasWaitingTask }
        for event in [state("a"), .progress(DownloadProgress())] {
            reader.note(event, of: download)
            reader.act()
        }
        reader.note(.cancelled, of: download)
        #expect(reader.hasWaitingTask, "noting happens under a lock and resumes nobody")
        reader.act()
        _ = try await withDeadline { await task.value }
    }

    @Test func aTaskReadsWhatIsNewestWhenItGoesOnNotWhenItWasResumed() async throws {
        let reader = EventReader(.manager)
        let executor = HeldExecutor()
        let read = Recorder<String>()
        let task = Task(executorPreference: executor) {
            while let (_, event) = await reader.next() { read.append(event.text) }
        }
        executor.run()
        notify(reader, .progress(DownloadProgress(receivedBytes: 1)))
        notify(reader, .progress(DownloadProgress(receivedBytes: 2)))
        executor.run()
        #expect(read.values == ["2"])
        reader.close()
        executor.run()
        await task.value
    }

    @Test func noTaskIsResumedBeforeTheReaderActs() async throws {
        let reader = EventReader(.manager)
        let read = Recorder<String>()
        let task = Task { while let (_, event) = await reader.next() { read.append(event.text) } }
        notify(reader, state("first"))
        try await read.wait(forCount: 1)
        try await eventually("the task waits again") { reader.hasWaitingTask }
        reader.note(state("second"), of: download)
        #expect(reader.hasWaitingTask, "noting happens under a lock and resumes nobody")
        reader.act()
        try await read.wait(forCount: 2)
        reader.close()
        await task.value
    }

    @Test func aReaderThatIsCancelledRunsOnTheThreadThatCancelsIt() async throws {
        let (silent, download) = (self.silent, self.download)
        for turn in 0..<200 {
            let began = Watched(0)
            let reading = Task(executorPreference: InlineExecutor()) {
                switch turn % 4 {
                case 0:
                    for await _ in download.events { began.update { $0 += 1 } }
                case 1:
                    for await _ in silent.manager.events { began.update { $0 += 1 } }
                case 2:
                    began.update { $0 += 1 }
                    _ = try? await download.file
                default:
                    began.update { $0 += 1 }
                    for await _ in silent.manager.results(of: [silent.url("f")]) {}
                }
            }
            try await began.wait(until: { $0 >= 1 })
            reading.cancel()
            try await withDeadline { await reading.value }
        }
    }
}

extension DownloadEvent {
    fileprivate var text: String {
        switch self {
        case .state(.waiting(.retry(_, let error))): error.message
        case .state(let state): "\(state)"
        case .progress(let progress): "\(progress.receivedBytes)"
        }
    }
}

/// Runs each job at once, on the thread that makes it ready.
private final class InlineExecutor: TaskExecutor {
    func enqueue(_ job: consuming ExecutorJob) {
        job.runSynchronously(on: asUnownedTaskExecutor())
    }
}

/// Runs its jobs when the test says so.
private final class HeldExecutor: TaskExecutor {
    private let jobs = Locked<[UnownedJob]>([])

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        jobs.withLock { $0.append(job) }
    }

    func run() {
        let ready = jobs.withLock { jobs in
            defer { jobs = [] }
            return jobs
        }
        for job in ready { job.runSynchronously(on: asUnownedTaskExecutor()) }
    }
}
