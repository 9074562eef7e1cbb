import Foundation
import HTTPResumption
import HTTPTransport
import Locking
import PartialFiles
import TestSupport
import Testing

@testable import Spate

@Suite struct FlushStateTests {
    private let folder: TemporaryFolder
    private let url: HTTPURL
    private let start = ContinuousClock.now

    init() throws {
        folder = try TemporaryFolder()
        url = try HTTPURL("http://host.test/file")
    }

    /// The course of an attempt whose file has a thousand bytes, with a flush under way.
    private func flushingCourse() throws -> AttemptCourse {
        let opening = try DownloadDirectory(path: folder.path).open(for: url, naming: .derived)
        guard case .partial(let file) = opening else { throw CancellationError() }
        try file.begin(total: 2_000, validator: nil, encoding: nil)
        try TestBytes.random(count: 1_000).withUnsafeBytes { try file.write($0, at: 0) }
        var course = AttemptCourse(url: url, history: ResumeHistory())
        _ = try course.open(file)
        #expect(course.flushIsDue(through: 1_000, every: .seconds(10), now: start) == false)
        #expect(course.flushIsDue(through: 1_000, every: .seconds(10), now: start + .seconds(9)) == false)
        #expect(course.flushIsDue(through: 1_000, every: .seconds(10), now: start + .seconds(10)) == true)
        return course
    }

    private func job() throws -> AttemptJob {
        AttemptJob(
            url: url,
            request: DownloadRequest(try #require(URL(string: url.text))),
            configuration: DownloadManager.Configuration(),
            transport: SilentTransport(),
            disk: DispatchQueue(label: "test.disk"),
            openPlace: { throw CancellationError() }
        )
    }

    private let failure = Result<Void, FileSystemError>.failure(FileSystemError(.sync, "/file.part", code: EIO))

    @Test func oneFlushIsUnderWayAtATime() throws {
        var course = try flushingCourse()
        #expect(course.flushIsDue(through: 1_000, every: .zero, now: start + .seconds(60)) == false)
        #expect(course.flushed(.success(())) == nil)
        #expect(course.flushIsDue(through: 1_000, every: .seconds(10), now: start + .seconds(60)) == true)
    }

    @Test func aFastLineIsFlushedBeforeTheTimeHasComeWhereFlushingIsSlow() {
        let most = FlushState.mostUnflushed
        var state = FlushState()
        func begins(_ offset: Int64, isSlow: Bool = true) -> Bool {
            defer { state.isUnderWay = false }
            return state.begins(every: .seconds(10), reached: offset, isSlow: isSlow, now: start)
        }
        #expect(!begins(5_000))
        #expect(!begins(5_000 + most - 1))
        #expect(!begins(5_000 + most, isSlow: false))
        #expect(begins(5_000 + most))
        #expect(!begins(5_000 + 2 * most - 1))
        // It starts over.
        #expect(!begins(0) && !begins(most - 1))
        #expect(begins(most))
    }

    @Test func publishingWaitsForTheFlushAndFollowsWhenThatSucceeds() throws {
        var course = try flushingCourse()
        #expect(course.postpone(.publish(size: 1_000)) == true)
        guard case .publish(1_000) = course.flushed(.success(())) else {
            Issue.record("it was not published")
            return
        }
        #expect(course.postpone(.publish(size: 1_000)) == false)
    }

    @Test func afterAFlushThatFailedNothingIsPublished() throws {
        var course = try flushingCourse()
        #expect(course.postpone(.publish(size: 1_000)) == true)
        guard case .end(.failed(let error, _)) = course.flushed(failure) else {
            Issue.record("it did not fail")
            return
        }
        #expect(error.code == .fileSystem && course.held.length == 0)
        #expect(course.flushIsDue(through: 1_000, every: .zero, now: start + .seconds(60)) == false)
    }

    @Test func afterAFlushThatFailedNoAnswerIsTaken() async throws {
        let course = Locked(try flushingCourse())
        #expect(course.withLock { $0.flushed(failure) } == nil)
        var fields = HTTPFields()
        fields.append(name: "Content-Length", value: "2000")
        let head = ResponseHead(status: 200, fields: fields, isMessageFramed: true)
        let job = try job()
        let disposition = try course.withLock { try $0.judge(head, for: job) }
        guard case .stop = disposition else {
            Issue.record("the body is taken")
            return
        }
        guard case .end(.failed) = course.withLock({ $0.conclude(.stopped, url: url) }) else {
            Issue.record("the attempt goes on")
            return
        }
    }

    @Test func anAttemptPutsItsFileInPlaceAfterTheFlushAndNotBeside() async throws {
        let isOver = Watched(false)
        let onlooker = Onlooker()
        let attempt = Attempt(id: 1, job: try job(), history: ResumeHistory(), observer: onlooker) {
            isOver.update { $0 = true }
        }
        let course = try flushingCourse()
        attempt.course.withLock { $0 = course }
        attempt.publish(size: 1_000)
        guard case .publish = attempt.course.withLock({ $0.flushing.postponed }) else {
            Issue.record("it did not wait")
            return
        }
        attempt.follow(try #require(attempt.course.withLock { $0.flushed(.success(())) }))
        try await isOver.wait(for: "the attempt's end", until: { $0 })
        #expect(onlooker.published.values.map(\.path) == [folder.path("file")])
    }
}

/// Lets an attempt do what it wants, and notes the file.
private final class Onlooker: AttemptObserver {
    let published = Recorder<URL>()
    let isDeleted = false

    func attempt(_ id: DownloadMachine.AttemptID, beganAt offset: Int64, total: Int64?) {}

    func attempt(_ id: DownloadMachine.AttemptID, advancedTo offset: Int64) {}

    func attempt(_ id: DownloadMachine.AttemptID, publish: () throws -> AttemptResult) throws -> AttemptResult? {
        let result = try publish()
        published.append(result.file)
        return result
    }

    func attempt(_ id: DownloadMachine.AttemptID, endedWith failure: AttemptFailure, history: ResumeHistory) {}
}
