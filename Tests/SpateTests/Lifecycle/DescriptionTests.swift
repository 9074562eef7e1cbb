import Foundation
import Spate
import Testing

@Suite struct DescriptionTests {
    private static let error = DownloadError(.httpStatus, "The server answered 503. Try again later.")
    private static let date = Date(timeIntervalSince1970: 0)

    @Test(arguments: [
        (DownloadState.waiting(.slot), "waiting for a slot"),
        (DownloadState.waiting(.host), "waiting for its host"),
        (
            .waiting(.retry(at: date, after: error)),
            "waiting to try again at 1970-01-01 00:00:00 +0000: The server answered 503. Try again later."
        ),
        (.running, "running"),
        (.paused, "paused"),
        (.finished(URL(filePath: "/d/a b.zip")), "finished: /d/a b.zip"),
        (.failed(error), "failed: The server answered 503. Try again later."),
        (.cancelled, "cancelled"),
    ])
    func aStateReadsAsPeopleSayIt(state: DownloadState, text: String) {
        #expect("\(state)" == text)
        #expect("\(DownloadEvent.state(state))" == text)
    }

    @Test func eachStateAnswersToItsNameAlone() {
        let states: [DownloadState] = [
            .waiting(.slot), .running, .paused, .finished(URL(filePath: "/f")), .failed(Self.error), .cancelled,
        ]
        let questions: [@Sendable (DownloadState) -> Bool] = [
            \.isWaiting, \.isRunning, \.isPaused, \.isFinished, \.isFailed, \.isCancelled,
        ]
        for (index, state) in states.enumerated() {
            #expect(questions.indices.filter { questions[$0](state) } == [index], "\(state)")
            #expect(state.isTerminal == (index > 2), "\(state)")
        }
        #expect(DownloadState.waiting(.disk).isWaiting && DownloadState.waiting(.host).isWaiting)
        #expect(DownloadState.waiting(.retry(at: Self.date, after: Self.error)).isWaiting)
    }

    @Test func progressReadsTheSameAsAnEvent() {
        let progress = DownloadProgress(receivedBytes: 12_300_000, totalBytes: 40_000_000, bytesPerSecond: 3_200_000)
        #expect("\(DownloadEvent.progress(progress))" == "\(progress)" && "\(progress)".contains("12.3 MB"))
    }
}
