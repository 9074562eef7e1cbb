import Foundation
import Testing

@testable import Spate

@Suite struct DownloadTallyTests {
    private let silent: SilentManager
    private let downloads: [Download]

    init() throws {
        let silent = try SilentManager()
        downloads = (0..<4).map { silent.pausedDownload("\($0)") }
        self.silent = silent
    }

    private func progress(_ received: Int64, of total: Int64?) -> DownloadEvent {
        .progress(DownloadProgress(receivedBytes: received, totalBytes: total))
    }

    private var file: DownloadEvent { .state(.finished(URL(fileURLWithPath: "/f"))) }

    /// A tally with all of them.
    private func tally() -> DownloadTally {
        var tally = DownloadTally()
        for download in downloads { tally.introduce(download, .running, DownloadProgress()) }
        tally.endIntroductions()
        return tally
    }

    @Test func aSizeThatIsNotKnownIsTakenForTheMean() {
        var tally = tally()
        #expect(tally.reading.fraction == 0 && tally.reading.totalBytes == nil)
        tally.note(progress(50, of: 100), of: downloads[0])
        tally.note(progress(150, of: 300), of: downloads[1])
        #expect(tally.reading.completedBytes == 200 && tally.reading.totalBytes == nil)
        #expect(tally.reading.fraction == 0.25)
        tally.note(progress(0, of: 200), of: downloads[2])
        tally.note(progress(0, of: 400), of: downloads[3])
        #expect(tally.reading.totalBytes == 1000 && tally.reading.fraction == 0.2)
    }

    @Test func whatHasEndedCountsWithItsFileAndLeavesWithout() {
        var tally = tally()
        for download in downloads { tally.note(progress(10, of: 100), of: download) }
        tally.note(.state(.cancelled), of: downloads[0])
        tally.note(.state(.failed(.wasCancelled)), of: downloads[1])
        #expect(tally.reading.completedBytes == 20 && tally.reading.totalBytes == 200)
        tally.note(progress(100, of: 100), of: downloads[2])
        tally.note(file, of: downloads[2])
        #expect(tally.reading.fileTotalCount == 2 && tally.reading.fileCompletedCount == 1)
        #expect(!tally.isOver && !tally.reading.isFinished)
        tally.note(progress(100, of: 100), of: downloads[3])
        tally.note(file, of: downloads[3])
        #expect(tally.isOver && tally.reading.isFinished && tally.reading.completedBytes == 200)
        tally.note(.state(.running), of: downloads[0])
        #expect(tally.reading.fileTotalCount == 2)
    }

    @Test func whereAllFailedItIsFinishedWithoutAFile() {
        var tally = tally()
        for download in downloads { tally.note(.state(.failed(.wasCancelled)), of: download) }
        #expect(tally.isOver && tally.reading.isFinished && tally.reading.fraction == 1)
        #expect(tally.reading.fileTotalCount == 0 && tally.reading.fileCompletedCount == 0)
    }

    @Test(arguments: [true, false])
    func withoutADownloadItIsOverIfThereHaveBeenSome(mayBeOver: Bool) {
        var tally = DownloadTally()
        tally.endIntroductions(mayBeOver: mayBeOver)
        #expect(tally.isOver == mayBeOver && tally.reading.isFinished == mayBeOver)
    }

    @Test func theLargestSizesDoNotOverflow() {
        var tally = tally()
        for download in downloads { tally.note(progress(.max, of: .max), of: download) }
        #expect(tally.reading.completedBytes == .max && tally.reading.totalBytes == .max && tally.reading.fraction == 1)
        for download in downloads { tally.note(progress(0, of: 1), of: download) }
        #expect(tally.reading.completedBytes == 0 && tally.reading.totalBytes == 4)
    }

    @Test func itIsPausedWhenAllThatIsLeftIsAlsoAfterALateWord() {
        var tally = tally()
        #expect(!tally.reading.isPaused)
        for download in downloads {
            tally.note(.state(.paused), of: download)
            tally.note(progress(5, of: 10), of: download)
        }
        #expect(tally.reading.isPaused && tally.reading.completedBytes == 20)
        tally.note(.state(.waiting(.slot)), of: downloads[1])
        #expect(!tally.reading.isPaused)
    }

    @Test func anEndWithinTheIntroductionsIsNotTheEndOfAll() {
        var tally = DownloadTally()
        tally.note(file, of: downloads[0])
        #expect(!tally.isOver)
        tally.introduce(downloads[1], .running, DownloadProgress())
        tally.endIntroductions()
        #expect(!tally.isOver && tally.reading.fileTotalCount == 2)
    }
}
