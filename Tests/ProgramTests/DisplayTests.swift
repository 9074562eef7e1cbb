import Foundation
import Spate
import Testing

@testable import SpateProgram

@Suite struct JSONLinesTests {
    private final class Lines {
        var output: [String] = []
        var error: [String] = []
        var isOpen = true
    }

    private let item: DownloadItem

    init() throws {
        item = DownloadItem(source: try DownloadURL("http://user:secret@h/a"))
    }

    private func shown(_ received: Int64 = 0, of total: Int64? = nil) -> ShownDownload {
        let progress = DownloadProgress(receivedBytes: received, totalBytes: total)
        return ShownDownload(number: 0, item: item, progress: progress)
    }

    @Test func everyLineHasTheSameKeysInTheSameOrder() {
        let lines = Lines()
        let display = JSONLines(beside: NoDisplay { lines.error.append($0) }) {
            lines.output.append($0); return true
        }
        display.show(.state(.waiting(.slot)), of: shown())
        let progress = DownloadProgress(receivedBytes: 3, totalBytes: 4, connectionCount: 2)
        display.show(.progress(progress), of: shown(3, of: 4))
        display.show(
            .state(.waiting(.retry(at: Date(), after: DownloadError(.timedOut, "Slow.", isRetryable: true)))),
            of: shown(3, of: 4)
        )
        display.show(.state(.waiting(.disk)), of: shown(4, of: 4))
        display.show(.progress(DownloadProgress(receivedBytes: 4, totalBytes: 4)), of: shown(4, of: 4))
        display.show(.state(.finished(URL(fileURLWithPath: "/d/a"))), of: shown(4, of: 4))
        let refused = DownloadError(.httpStatus, "Not \"there\".", statusCode: 404)
        display.show(.state(.failed(refused)), of: shown())
        let times = lines.output.map { $0.firstMatch(of: /"time":"([^"]*)"/)?.1 ?? "" }
        #expect(times.allSatisfy { $0.wholeMatch(of: /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z/) != nil }, "\(times)")
        #expect(
            zip(lines.output, times).map { $0.replacing($1, with: "T") } == [
                #"{"event":"state","url":"http://h/a","state":"waiting","received":0,"total":null,"file":null,"error":null,"connections":0,"time":"T","code":null,"status":null,"retryable":null,"update":null,"waits":"slot"}"#,
                #"{"event":"progress","url":"http://h/a","state":"running","received":3,"total":4,"file":null,"error":null,"connections":2,"time":"T","code":null,"status":null,"retryable":null,"update":null,"waits":null}"#,
                #"{"event":"state","url":"http://h/a","state":"waiting","received":3,"total":4,"file":null,"error":"Slow.","connections":0,"time":"T","code":"timedOut","status":null,"retryable":true,"update":null,"waits":"retry"}"#,
                #"{"event":"state","url":"http://h/a","state":"waiting","received":4,"total":4,"file":null,"error":null,"connections":0,"time":"T","code":null,"status":null,"retryable":null,"update":null,"waits":"disk"}"#,
                #"{"event":"progress","url":"http://h/a","state":"waiting","received":4,"total":4,"file":null,"error":null,"connections":0,"time":"T","code":null,"status":null,"retryable":null,"update":null,"waits":"disk"}"#,
                #"{"event":"state","url":"http://h/a","state":"finished","received":4,"total":4,"file":"/d/a","error":null,"connections":0,"time":"T","code":null,"status":null,"retryable":null,"update":null,"waits":null}"#,
                #"{"event":"state","url":"http://h/a","state":"failed","received":0,"total":null,"file":null,"error":"Not \"there\".","connections":0,"time":"T","code":"httpStatus","status":404,"retryable":false,"update":null,"waits":null}"#,
            ]
        )
        #expect(lines.error.isEmpty)
    }

    @Test func timesAreInUTCWithMilliseconds() {
        var line = JSONLine(event: "state", url: "http://h/a", state: "running", progress: DownloadProgress())
        line.time = Date(timeIntervalSince1970: 1_700_000_000.5)
        #expect(line.text.contains(#""time":"2023-11-14T22:13:20.500Z""#), "\(line.text)")
    }

    @Test func nothingIsWrittenToAClosedOutput() {
        let lines = Lines()
        let display = JSONLines(beside: NoDisplay { _ in }) {
            lines.output.append($0); return false
        }
        #expect(!display.isClosed)
        display.show(.state(.running), of: shown())
        display.show(.state(.running), of: shown())
        #expect(display.isClosed)
        #expect(lines.output.count == 1)
    }

    @Test(arguments: ["plain", "\"quoted\" \\ back", "a\nb\r\tc", "\u{0}\u{1F}\u{7F}\u{2028}", "ümlaut 🦌", "</script>"])
    func anyTextMakesAValidJSONLine(text: String) throws {
        var line = JSONLine(event: "state", url: text, state: "failed", progress: DownloadProgress())
        line.error = DownloadError(.badResponse, text)
        #expect(!line.text.unicodeScalars.contains { $0.value < 0x20 })
        let object = try #require(try JSONSerialization.jsonObject(with: Data(line.text.utf8)) as? [String: Any])
        #expect(object["url"] as? String == text)
        #expect(object["error"] as? String == PlainText.oneLine(text))
        #expect(object["total"] is NSNull)
    }
}

@Suite struct ProgressLinesTests {
    private final class Screen {
        var lines: [String] = []
        var now = ContinuousClock.now
    }

    private let item: DownloadItem

    init() throws {
        item = DownloadItem(source: try DownloadURL("http://h/a"))
    }

    private func shown(_ received: Int64) -> ShownDownload {
        let progress = DownloadProgress(receivedBytes: received, totalBytes: 40_000_000)
        return ShownDownload(number: 0, item: item, progress: progress)
    }

    @Test func aDownloadHasALineEveryFiveSecondsAndOneAtItsEnd() {
        let screen = Screen()
        let display = ProgressLines(now: { screen.now }, write: { screen.lines.append($0) })
        display.show(.state(.running), of: shown(0))
        for second in 1...12 {
            screen.now += .seconds(1)
            let received = Int64(second) * 1_000_000
            display.show(
                .progress(DownloadProgress(receivedBytes: received, totalBytes: 40_000_000)),
                of: shown(received)
            )
        }
        screen.now += .milliseconds(400)
        display.show(.state(.finished(URL(fileURLWithPath: "/d/a.bin"))), of: shown(40_000_000))
        #expect(screen.lines == ["a: 5 MB of 40 MB", "a: 10 MB of 40 MB", "a.bin: 40 MB in 13 s"])
    }

    @Test func aLogHasOnlyEndsRetriesAndASummary() {
        let screen = Screen()
        let display = ProgressLines(.log, now: { screen.now }, write: { screen.lines.append($0) })
        display.show(.state(.running), of: shown(0))
        screen.now += .seconds(60)
        display.show(.progress(DownloadProgress(receivedBytes: 5, totalBytes: 40_000_000)), of: shown(5))
        display.show(.state(.waiting(.retry(at: .distantPast, after: DownloadError(.tls, "No.")))), of: shown(5))
        display.show(.state(.finished(URL(fileURLWithPath: "/d/a.bin"))), of: shown(40_000_000))
        display.show(.state(.finished(URL(fileURLWithPath: "/d/b.bin"))), of: shown(40_000_000))
        display.show(.state(.failed(DownloadError(.tls, "No."))), of: shown(0))
        display.show(.state(.cancelled), of: shown(0))
        display.finish()
        #expect(
            screen.lines == [
                "a: again now: No.", "a.bin: 40 MB in 1 min", "b.bin: 40 MB, already here",
                "1 file, 40 MB in 1 min, 1 already here, 1 failed, 1 cancelled",
            ]
        )
    }

    @Test func aFileThatWasAlreadyThereIsReported() {
        let screen = Screen()
        let display = ProgressLines(now: { screen.now }, write: { screen.lines.append($0) })
        display.show(.state(.finished(URL(fileURLWithPath: "/d/a.bin"))), of: shown(40_000_000))
        #expect(screen.lines == ["a.bin: 40 MB, already here"])
    }

    @Test func aRetryIsReportedWithItsReason() {
        let screen = Screen()
        let display = ProgressLines(now: { screen.now }, write: { screen.lines.append($0) })
        let error = DownloadError(.httpStatus, "The server is busy.")
        display.show(.state(.waiting(.retry(at: .distantPast, after: error))), of: shown(0))
        #expect(screen.lines == ["a: again now: The server is busy."])
    }
}
