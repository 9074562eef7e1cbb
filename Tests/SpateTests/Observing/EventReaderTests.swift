import Foundation
import Locking
import TestSupport
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

    @Test func whoWaitsForTheEndReadsNothingElse() async throws {
        let reader = EventReader(.end)
        for event in [state("a"), .progress(DownloadProgress()), .state(.cancelled)] { notify(reader, event) }
        #expect(try await rest(of: reader) == ["cancelled"])
    }

    @Test func aReaderThatWaitsIsResumedByAnEventAndByTheClose() async throws {
        let reader = EventReader(.manager)
        let read = Recorder<String>()
        let task = Task {
            while let (_, event) = await reader.next() { read.append(event.text) }
            read.append("over")
        }
        for turn in 1...50 {
            notify(reader, state("\(turn)"))
            try await read.wait(forCount: turn)
        }
        reader.close()
        try await withDeadline { await task.value }
        #expect(read.values == (1...50).map(String.init) + ["over"])
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

    @Test func cancellationEndsTheWaitWhereverItMeetsIt() async throws {
        try await withDeadline {
            for turn in 0..<200 {
                let reader = EventReader(.manager)
                let task = Task { while await reader.next() != nil {} }
                if turn.isMultiple(of: 3) { await Task.yield() }
                notify(reader, .state(.running))
                if turn.isMultiple(of: 2) { await Task.yield() }
                task.cancel()
                await task.value
                notify(reader, state("late"))
                #expect(await reader.next() == nil)
            }
        }
    }

    @Test func ofManyThreadsEachOnesEventsAreReadInTheirOrder() async throws {
        let reader = EventReader(.manager)
        let (threads, count) = (8, 200)
        let task = Task {
            var texts: [String] = []
            while let (_, event) = await reader.next() { texts.append(event.text) }
            return texts
        }
        await withCheckedContinuation { continuation in
            DispatchQueue.global().async {
                DispatchQueue.concurrentPerform(iterations: threads) { thread in
                    for turn in 0..<count {
                        notify(reader, state("\(thread)-\(turn)"))
                        notify(reader, .progress(DownloadProgress(receivedBytes: Int64(turn))))
                    }
                }
                reader.close()
                continuation.resume()
            }
        }
        let texts = try await withDeadline { await task.value }
        for thread in 0..<threads {
            #expect(texts.filter { $0.hasPrefix("\(thread)-") } == (0..<count).map { "\(thread)-\($0)" })
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

@Suite(.takesTurns) struct InlineReaderTests {
    @Test func aReaderThatRunsOnTheThreadThatNotifiesItHoldsUpNothing() async throws {
        let server = try TestServer { .file([1, 2, 3], for: $0) }
        let test = try TestManager { $0.maxConcurrentDownloads = 2 }
        let manager = test.manager
        let urls = (0..<300).map { server.url("/\($0)") }
        let executor = InlineExecutor()
        let reading = [
            Task(executorPreference: executor) {
                var ends = 0
                for await (download, event) in manager.events {
                    _ = (download.state, download.progress, manager.downloads.count)
                    if case .state(let state) = event, state.isTerminal { ends += 1 }
                    if ends == urls.count { break }
                }
            },
            Task(executorPreference: executor) {
                for await (url, result) in manager.results(of: urls) { _ = (manager[url]?.state, result) }
            },
            Task(executorPreference: executor) {
                for url in urls {
                    let download = manager.download(url)
                    for await _ in download.events { download.resume() }
                    _ = try? await download.file
                }
            },
        ]
        try await withDeadline { for task in reading { await task.value } }
        #expect(test.names.count == urls.count)
    }

    @Test func aReaderThatIsCancelledRunsOnTheThreadThatCancelsIt() async throws {
        let test = try SilentManager()
        let download = test.pausedDownload("f")
        for turn in 0..<200 {
            let began = Watched(0)
            let reading = Task(executorPreference: InlineExecutor()) {
                switch turn % 4 {
                case 0:
                    for await _ in download.events { began.update { $0 += 1 } }
                case 1:
                    for await _ in test.manager.events { began.update { $0 += 1 } }
                case 2:
                    began.update { $0 += 1 }
                    _ = try? await download.file
                default:
                    began.update { $0 += 1 }
                    for await _ in test.manager.results(of: [test.url("f")]) {}
                }
            }
            try await began.wait(until: { $0 >= 1 })
            reading.cancel()
            try await withDeadline { await reading.value }
        }
    }
}
