import Foundation
import Testing

@testable import Spate

@Suite struct ManagerTallyTests {
    private typealias Share = DownloadSums.Share

    private let silent: SilentManager
    private let downloads: [Download]
    private let start = ContinuousClock.now

    init() throws {
        let silent = try SilentManager()
        downloads = (0..<4).map { silent.pausedDownload("\($0)") }
        self.silent = silent
    }

    /// Feeds a tally with what becomes of downloads.
    private struct Feed {
        var tally = ManagerTally()
        var shares: [ObjectIdentifier: Share] = [:]

        mutating func set(
            _ download: Download,
            _ phase: Share.Phase,
            _ received: Int64 = 0,
            of total: Int64? = nil,
            arrived: Int64 = 0,
            at time: ContinuousClock.Instant
        ) {
            let id = ObjectIdentifier(download)
            let new = Share(phase: phase, received: received, total: total)
            let change = ManagerTally.Change(old: shares[id] ?? Share(), new: new, arrived: arrived)
            tally.note(change, of: download, now: time)
            shares[id] = new
        }
    }

    @Test func countsStayUntilTheFirstOfTheNext() {
        var feed = Feed()
        #expect(feed.tally.progress(longest: nil, now: start) == DownloadManagerProgress(totalBytes: 0))
        feed.set(downloads[0], .waiting, at: start)
        feed.set(downloads[1], .waiting, at: start)
        #expect(feed.tally.progress(longest: nil, now: start) == DownloadManagerProgress(totalCount: 2))
        feed.set(downloads[0], .running, 5, of: 10, at: start)
        #expect(feed.tally.running.count == 1)
        feed.set(downloads[0], .finished, 10, of: 10, at: start)
        feed.set(downloads[1], .failed, 7, of: 20, at: start)
        let end = DownloadManagerProgress(
            finishedCount: 1,
            failedCount: 1,
            totalCount: 2,
            receivedBytes: 10,
            totalBytes: 10,
            timeRemaining: .zero
        )
        #expect(feed.tally.progress(longest: nil, now: start) == end && feed.tally.running.isEmpty)
        feed.set(downloads[2], .waiting, of: 3, at: start)
        #expect(feed.tally.progress(longest: nil, now: start) == DownloadManagerProgress(totalCount: 1, totalBytes: 3))
    }

    @Test func whatIsPausedWhenTheNextComesRemains() {
        var feed = Feed()
        feed.set(downloads[0], .waiting, at: start)
        feed.set(downloads[1], .waiting, at: start)
        feed.set(downloads[0], .finished, 10, of: 10, at: start)
        feed.set(downloads[1], .paused, 4, of: 8, at: start)
        #expect(feed.tally.progress(longest: nil, now: start).finishedCount == 1)
        feed.set(downloads[1], .waiting, 4, of: 8, at: start)
        feed.set(downloads[3], .waiting, at: start)
        #expect(feed.tally.progress(longest: nil, now: start).finishedCount == 1, "it goes on")
        feed.set(downloads[3], .none, at: start)
        feed.set(downloads[1], .paused, 4, of: 8, at: start)
        feed.set(downloads[2], .waiting, of: 2, at: start)
        let expected = DownloadManagerProgress(totalCount: 2, receivedBytes: 4, totalBytes: 10)
        #expect(feed.tally.progress(longest: nil, now: start) == expected)
    }

    @Test func ofABatchThoseCountThatEndAtOnce() {
        var feed = Feed()
        feed.set(downloads[3], .finished, 1, of: 1, at: start)
        feed.tally.beginBatch()
        #expect(feed.tally.progress(longest: nil, now: start).finishedCount == 1, "nothing was enqueued yet")
        for download in downloads[..<3] { feed.set(download, .finished, 5, of: 5, at: start) }
        #expect(feed.tally.progress(longest: nil, now: start).finishedCount == 3)
        feed.tally.endBatch()
        #expect(feed.tally.progress(longest: nil, now: start).receivedBytes == 15)
        feed.shares = [:]
        feed.set(downloads[3], .failed, at: start)
        #expect(feed.tally.progress(longest: nil, now: start).totalCount == 1)
    }

    @Test func cancelledDownloadsLeaveTheCounts() {
        var feed = Feed()
        for download in downloads { feed.set(download, .running, 5, of: 10, at: start) }
        feed.set(downloads[0], .none, 5, of: 10, at: start)
        let progress = feed.tally.progress(longest: nil, now: start)
        #expect(progress == DownloadManagerProgress(totalCount: 3, receivedBytes: 15, totalBytes: 30))
    }

    @Test func timeLeftAssumesTheMeanAndIsNoShorterThanTheLongest() {
        var feed = Feed()
        let later = start + .seconds(1)
        feed.set(downloads[0], .running, 0, of: 1_000, at: start)
        feed.set(downloads[1], .waiting, at: start)
        feed.set(downloads[0], .running, 500, of: 1_000, arrived: 500, at: later)
        let progress = feed.tally.progress(longest: nil, now: later)
        #expect(progress.totalBytes == nil && progress.bytesPerSecond == 500 && progress.timeRemaining == .seconds(3))
        #expect(feed.tally.progress(longest: .seconds(2), now: later).timeRemaining == .seconds(3))
        #expect(feed.tally.progress(longest: .seconds(9), now: later).timeRemaining == .seconds(9))
        // What is paused is not waited for.
        feed.set(downloads[1], .paused, 0, of: 100_000, at: later)
        #expect(feed.tally.progress(longest: nil, now: later).timeRemaining == .seconds(1))
        feed.set(downloads[0], .paused, 500, of: 1_000, at: later)
        #expect(feed.tally.progress(longest: nil, now: later).timeRemaining == nil)
        #expect(feed.tally.progress(longest: nil, now: later).bytesPerSecond == 0)
    }

    @Test func nobodyKnowsWhenWhatHasNoSizeEnds() {
        var feed = Feed()
        let later = start + .seconds(1)
        let left = { feed.tally.progress(longest: nil, now: later).timeRemaining }
        feed.set(downloads[0], .running, 0, of: 1_000, at: start)
        feed.set(downloads[1], .running, at: start)
        feed.set(downloads[2], .retrying, at: start)
        feed.set(downloads[0], .running, 500, of: 1_000, arrived: 500, at: later)
        #expect(left() == .seconds(1))
        // What was received of it says nothing about the others.
        feed.set(downloads[1], .running, 300, at: later)
        #expect(left() == .seconds(1))
        // Nobody has asked for this one, and it may be as big as the others.
        feed.set(downloads[3], .waiting, at: later)
        #expect(left() == .seconds(3))
        feed.set(downloads[3], .none, at: later)
        // It failed in the middle, and needs the rest.
        feed.set(downloads[2], .retrying, 500, of: 1_500, at: later)
        #expect(left() == .seconds(3))
        feed.set(downloads[2], .retrying, at: later)
        feed.set(downloads[0], .finished, 1_000, of: 1_000, at: later)
        #expect(left() == nil && feed.tally.progress(longest: nil, now: later).totalBytes == nil)
    }

    @Test func afterAPauseTheSpeedBeginsAnew() {
        var feed = Feed()
        feed.set(downloads[0], .running, 0, of: 1_000, at: start)
        feed.set(downloads[0], .paused, 900, of: 1_000, arrived: 900, at: start + .seconds(1))
        let resumed = start + .seconds(2)
        feed.set(downloads[0], .running, 900, of: 1_000, at: resumed)
        feed.set(downloads[0], .running, 910, of: 1_000, arrived: 10, at: resumed + .seconds(1))
        #expect(feed.tally.progress(longest: nil, now: resumed + .seconds(1)).bytesPerSecond == 10)
    }

    @Test func theLargestSizesDoNotOverflow() {
        var feed = Feed()
        for download in downloads { feed.set(download, .running, .max, of: .max, at: start) }
        let progress = feed.tally.progress(longest: nil, now: start)
        #expect(progress.receivedBytes == .max && progress.totalBytes == .max)
        for download in downloads { feed.set(download, .running, 0, of: 1, at: start) }
        #expect(feed.tally.progress(longest: nil, now: start).totalBytes == 4)
    }
}
