import Testing

@testable import Spate

@Suite struct DownloadTallyTests {
    /// A tally of four downloads, and how each counts.
    private struct Feed {
        var tally = DownloadTally()
        private var shares = Array(repeating: DownloadSums.Share(), count: 4)

        mutating func set(
            _ download: Int,
            _ phase: DownloadSums.Share.Phase,
            _ received: Int64 = 0,
            of total: Int64? = nil
        ) {
            let new = DownloadSums.Share(phase: phase, received: received, total: total)
            tally.replace(shares[download], by: new)
            shares[download] = new
        }

        var reading: ProgressReading { tally.reading }
    }

    /// A tally with all of them.
    private func feed() -> Feed {
        var feed = Feed()
        for download in 0..<4 { feed.set(download, .running) }
        feed.tally.endIntroductions()
        return feed
    }

    @Test func aSizeThatIsNotKnownIsTakenForTheMean() {
        var feed = feed()
        #expect(feed.reading.fraction == 0 && feed.reading.progress.totalBytes == nil)
        feed.set(0, .running, 50, of: 100)
        feed.set(1, .running, 150, of: 300)
        #expect(feed.reading.progress.receivedBytes == 200 && feed.reading.progress.totalBytes == nil)
        #expect(feed.reading.fraction == 0.25)
        feed.set(2, .running, 0, of: 200)
        feed.set(3, .running, 0, of: 400)
        #expect(feed.reading.progress.totalBytes == 1000 && feed.reading.fraction == 0.2)
    }

    @Test func whatHasEndedCountsWithItsFileAndLeavesWithout() {
        var feed = feed()
        for download in 0..<4 { feed.set(download, .running, 10, of: 100) }
        feed.set(0, .none, 10, of: 100)
        feed.set(1, .failed, 10, of: 100)
        #expect(feed.reading.progress.receivedBytes == 20 && feed.reading.progress.totalBytes == 200)
        feed.set(2, .finished, 100, of: 100)
        #expect(feed.reading.fileTotalCount == 2 && feed.reading.fileCompletedCount == 1)
        #expect(!feed.tally.isOver && !feed.reading.isFinished)
        feed.set(3, .finished, 100, of: 100)
        #expect(feed.tally.isOver && feed.reading.isFinished && feed.reading.progress.receivedBytes == 200)
        feed.set(0, .running, 10, of: 100)
        #expect(feed.reading.fileTotalCount == 2)
    }

    @Test func whereAllFailedItIsFinishedWithoutAFile() {
        var feed = feed()
        for download in 0..<4 { feed.set(download, .failed) }
        #expect(feed.tally.isOver && feed.reading.isFinished && feed.reading.fraction == 1)
        #expect(feed.reading.fileTotalCount == 0 && feed.reading.fileCompletedCount == 0)
    }

    @Test(arguments: [true, false])
    func withoutADownloadItIsOverIfThereHaveBeenSome(mayBeOver: Bool) {
        var tally = DownloadTally()
        tally.endIntroductions(mayBeOver: mayBeOver)
        #expect(tally.isOver == mayBeOver && tally.reading.isFinished == mayBeOver)
    }

    @Test func theLargestSizesDoNotOverflow() {
        var feed = feed()
        for download in 0..<4 { feed.set(download, .running, .max, of: .max) }
        #expect(feed.reading.progress.receivedBytes == .max && feed.reading.progress.totalBytes == .max)
        #expect(feed.reading.fraction == 1)
        for download in 0..<4 { feed.set(download, .running, 0, of: 1) }
        #expect(feed.reading.progress.receivedBytes == 0 && feed.reading.progress.totalBytes == 4)
    }

    @Test func itIsPausedWhenAllThatIsLeftIsAlsoAfterALateWord() {
        var feed = feed()
        #expect(!feed.reading.isPaused)
        for download in 0..<4 {
            feed.set(download, .paused)
            feed.set(download, .paused, 5, of: 10)
        }
        #expect(feed.reading.isPaused && feed.reading.progress.receivedBytes == 20)
        feed.set(1, .waiting, 5, of: 10)
        #expect(!feed.reading.isPaused)
    }

    @Test func anEndWithinTheIntroductionsIsNotTheEndOfAll() {
        var feed = Feed()
        feed.set(0, .finished)
        #expect(!feed.tally.isOver)
        feed.set(1, .running)
        feed.tally.endIntroductions()
        #expect(!feed.tally.isOver && feed.reading.fileTotalCount == 2)
    }
}
