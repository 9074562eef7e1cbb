import Foundation
import Testing

@testable import Spate
@testable import SpateConsole
@testable import SpateProgram

/// What a display writes about one download.
private final class Written {
    let item: DownloadItem
    var lines: [String] = []
    var now = ContinuousClock.now
    /// Whether the reader still reads.
    var isOpen = true

    /// Only lines.
    final class Lines {
        var lines: [String] = []
    }

    init() throws { item = DownloadItem(source: try DownloadURL("http://user:secret@h/a")) }

    func shown(_ received: Int64 = 0, of total: Int64? = nil) -> ShownDownload {
        let progress = DownloadProgress(receivedBytes: received, totalBytes: total)
        return ShownDownload(number: 0, url: item.source.shown, name: item.name, progress: progress)
    }

    func write(_ line: String) -> Bool {
        lines.append(line)
        return isOpen
    }
}

@Suite struct JSONLinesTests {
    @Test func everyLineHasTheSameKeysInTheSameOrder() throws {
        let written = try Written()
        let display = JSONLines(beside: QuietDisplay { written.lines.append($0) }, output: written.write)
        var slow = DownloadError(.timedOut, "Slow.", isRetryable: true)
        slow.nextTry = DownloadTry(number: 2, limit: 6)
        let refused = DownloadError(.httpStatus, "Not \"there\".", statusCode: 404)
        let running = DownloadProgress(receivedBytes: 3, totalBytes: 4, connectionCount: 2)
        display.show(.state(.waiting(.slot)), of: written.shown())
        display.show(.progress(running), of: written.shown(3, of: 4))
        display.show(.state(.waiting(.retry(at: Date(), after: slow))), of: written.shown(3, of: 4))
        display.show(.state(.waiting(.disk)), of: written.shown(4, of: 4))
        display.show(.progress(DownloadProgress(receivedBytes: 4, totalBytes: 4)), of: written.shown(4, of: 4))
        var shown = written.shown(4, of: 4)
        shown.remarks = [.lengthNotVerified, .notResumable]
        display.show(.state(.finished(URL(fileURLWithPath: "/d/a"))), of: shown)
        display.show(.state(.failed(refused)), of: written.shown())
        let times = written.lines.map { $0.firstMatch(of: /"time":"([^"]*)"/)?.1 ?? "" }
        #expect(times.allSatisfy { $0.wholeMatch(of: /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z/) != nil }, "\(times)")
        #expect(
            zip(written.lines, times).map { $0.replacing($1, with: "T") } == [
                #"{"event":"state","url":"http://h/a","state":"waiting","received":0,"total":null,"file":null,"error":null,"connections":0,"time":"T","code":null,"status":null,"retryable":null,"update":null,"waits":"slot","try":null,"tries":null,"notes":[]}"#,
                #"{"event":"progress","url":"http://h/a","state":"running","received":3,"total":4,"file":null,"error":null,"connections":2,"time":"T","code":null,"status":null,"retryable":null,"update":null,"waits":null,"try":null,"tries":null,"notes":[]}"#,
                #"{"event":"state","url":"http://h/a","state":"waiting","received":3,"total":4,"file":null,"error":"Slow.","connections":0,"time":"T","code":"timedOut","status":null,"retryable":true,"update":null,"waits":"retry","try":2,"tries":6,"notes":[]}"#,
                #"{"event":"state","url":"http://h/a","state":"waiting","received":4,"total":4,"file":null,"error":null,"connections":0,"time":"T","code":null,"status":null,"retryable":null,"update":null,"waits":"disk","try":null,"tries":null,"notes":[]}"#,
                #"{"event":"progress","url":"http://h/a","state":"waiting","received":4,"total":4,"file":null,"error":null,"connections":0,"time":"T","code":null,"status":null,"retryable":null,"update":null,"waits":"disk","try":null,"tries":null,"notes":[]}"#,
                #"{"event":"state","url":"http://h/a","state":"finished","received":4,"total":4,"file":"/d/a","error":null,"connections":0,"time":"T","code":null,"status":null,"retryable":null,"update":null,"waits":null,"try":null,"tries":null,"notes":["The server sent no length, so the file may be incomplete. Give its size or SHA-256 to be sure."]}"#,
                #"{"event":"state","url":"http://h/a","state":"failed","received":0,"total":null,"file":null,"error":"Not \"there\".","connections":0,"time":"T","code":"httpStatus","status":404,"retryable":false,"update":null,"waits":null,"try":null,"tries":null,"notes":[]}"#,
            ]
        )
    }

    @Test func anotherNumberOfDownloadsAtOnceIsALineWithTheSameKeysAndFour() throws {
        let (written, log) = (try Written(), try Written())
        let display = JSONLines(
            beside: JSONLines(beside: QuietDisplay { _ in }, output: written.write),
            output: log.write
        )
        display.show(ConcurrencyChange(limit: 64, former: 3, reason: .smallFiles))
        display.show(ConcurrencyChange(limit: 4, former: 9, reason: .overload, host: "https://h"))
        let line = try #require(written.lines.first)
        #expect(written.lines.count == 2 && log.lines.count == 2)
        #expect(
            written.lines.last?.hasSuffix(
                #""notes":["4 at once from https://h: with more, far less came"],"limit":4,"former":9,"#
                    + #""reason":"overload","host":"https://h"}"#
            ) ?? false
        )
        #expect(
            line.replacing(/"time":"[^"]*"/, with: #""time":"T""#)
                == #"{"event":"concurrency","url":null,"state":null,"received":0,"total":null,"file":null,"error":null,"connections":0,"time":"T","code":null,"status":null,"retryable":null,"update":null,"waits":null,"try":null,"tries":null,"notes":["64 at once: small files come quickly"],"limit":64,"former":3,"reason":"smallFiles","host":null}"#
        )
        #expect(try JSONSerialization.jsonObject(with: Data(line.utf8)) is [String: Any])
    }

    @Test func eachReasonForAnotherNumberHasItsWords() {
        let words = ConcurrencyChange.Reason.allCases.map { ConcurrencyChange(limit: 5, former: 4, reason: $0).words }
        #expect(Set(words).count == words.count)
        #expect(words.allSatisfy { $0.hasPrefix("5 at once: ") })
    }

    @Test func timesAreInUTCWithMilliseconds() {
        var line = JSONLine(event: "state", url: "http://h/a", state: "running", progress: DownloadProgress())
        line.time = Date(timeIntervalSince1970: 1_700_000_000.5)
        #expect(line.text.contains(#""time":"2023-11-14T22:13:20.500Z""#), "\(line.text)")
    }

    @Test func nothingIsWrittenToAClosedOutput() throws {
        let written = try Written()
        let display = JSONLines(beside: QuietDisplay { _ in }, output: written.write)
        written.isOpen = false
        #expect(display.outputError == nil)
        for _ in 1...2 { display.show(.state(.running), of: written.shown()) }
        #expect(display.outputError != nil && written.lines.count == 1)
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
    private let written: Written
    private var busy = DownloadError(.httpStatus, "The server is busy.")

    init() throws {
        written = try Written()
        busy.nextTry = DownloadTry(number: 2, limit: 6)
    }

    private func show(_ event: DownloadEvent, _ received: Int64, on display: ProgressLines, after seconds: Double = 0) {
        written.now += .seconds(seconds)
        display.show(event, of: written.shown(received, of: 40_000_000))
    }

    private func finished(_ name: String) -> DownloadEvent { .state(.finished(URL(fileURLWithPath: "/d/\(name)"))) }

    @Test func aDownloadHasALineEveryFiveSecondsOneForARetryAndOneAtItsEnd() {
        let display = ProgressLines(now: { written.now }, write: { written.lines.append($0) })
        show(finished("b.bin"), 40_000_000, on: display)
        show(.state(.running), 0, on: display)
        for megabytes in 1...12 as ClosedRange<Int64> {
            let progress = DownloadProgress(receivedBytes: megabytes * 1_000_000, totalBytes: 40_000_000)
            show(.progress(progress), megabytes * 1_000_000, on: display, after: 1)
        }
        show(.state(.waiting(.retry(at: .distantPast, after: busy))), 12_000_000, on: display)
        show(finished("a.bin"), 40_000_000, on: display, after: 0.4)
        #expect(
            written.lines == [
                "b.bin: 40 MB, already here", "a: 5 MB of 40 MB", "a: 10 MB of 40 MB",
                "a: the server refused; try 2 of 6 now", "a.bin: 40 MB in 13 s, 3.2 MB/s",
            ]
        )
    }

    @Test func aResumedFileHasTheSpeedOfWhatCameNow() {
        let display = ProgressLines(.log, now: { written.now }, write: { written.lines.append($0) })
        show(.state(.running), 30_000_000, on: display)
        show(finished("a.bin"), 40_000_000, on: display, after: 10)
        display.finish(FailureCounts(), cure: nil)
        #expect(written.lines == ["a.bin: 40 MB in 10 s, 1 MB/s", "1 file, 40 MB in 10 s, 1 MB/s"])
        // Here the server had another version, and all came again.
        show(.state(.running), 30_000_000, on: display)
        let again = DownloadProgress(receivedBytes: 1_000_000)
        show(.progress(again), 1_000_000, on: display, after: 1)
        show(.progress(DownloadProgress()), 0, on: display)
        show(finished("a.bin"), 40_000_000, on: display, after: 9)
        #expect(written.lines.last == "a.bin: 40 MB in 10 s, 4 MB/s")
    }

    @Test func aHundredFilesAreListedAndTheOthersCounted() {
        for (style, listsAll) in [(ProgressLines.Style.terminal, false), (.terminal, true), (.log, false)] {
            written.lines = []
            let display = ProgressLines(
                style,
                listsAll: listsAll,
                now: { written.now },
                write: { written.lines.append($0) }
            )
            for number in 1...150 { show(finished("\(number)"), 1, on: display) }
            let listed = written.lines.count { $0.hasSuffix("already here") }
            #expect(listed == (style == .terminal && !listsAll ? 100 : 150))
            #expect(written.lines.count == (listed == 150 ? 150 : 101), "\(written.lines.last ?? "")")
        }
    }

    @Test func aLogHasOnlyEndsRetriesAndASummary() {
        let display = ProgressLines(.log, now: { written.now }, write: { written.lines.append($0) })
        show(.state(.running), 0, on: display)
        show(.progress(DownloadProgress(receivedBytes: 5, totalBytes: 40_000_000)), 5, on: display, after: 60)
        show(.state(.waiting(.retry(at: .distantPast, after: busy))), 5, on: display)
        show(finished("a.bin"), 40_000_000, on: display)
        show(finished("b.bin"), 40_000_000, on: display)
        show(.state(.failed(busy)), 0, on: display)
        show(.state(.cancelled), 0, on: display)
        var failures = FailureCounts()
        failures.note(busy)
        for _ in 1...2 { failures.note(DownloadError(.httpStatus, "", statusCode: 404)) }
        display.finish(failures, cure: "spate resume")
        #expect(
            written.lines == [
                "a: the server refused; try 2 of 6 now", "a.bin: 40 MB in 1 min, 666.7 kB/s",
                "b.bin: 40 MB, already here",
                "1 file, 40 MB in 1 min, 666.7 kB/s, 1 already here, 1 cancelled, "
                    + "3 failed (2 HTTP 404, 1 HTTP status): spate resume",
            ]
        )
    }

    @Test func whatHelpsNoneOfTheFailuresIsNotNamed() {
        var failures = FailureCounts()
        for code in [DownloadError.Code.fileChanged, .fileExists] { failures.note(DownloadError(code, "")) }
        #expect(failures.text(cure: "spate resume") == "2 failed (1 file changed, 1 file exists)")
        failures.note(DownloadError(.timedOut, ""))
        #expect(failures.text(cure: "spate resume").hasSuffix("): spate resume"))
    }
}

@Suite struct RetryLinesTests {
    private var error = DownloadError(.connectionFailed, "Refused.", isRetryable: true)
    private let start = ContinuousClock.now

    private func shown(_ host: String = "host.test", name: String = "a.iso") -> ShownDownload {
        ShownDownload(number: 0, url: "https://\(host)/\(name)", name: name)
    }

    private func line(_ next: DownloadTry?, in seconds: TimeInterval = 0) -> String? {
        var (lines, error) = (RetryLines(), error)
        error.nextTry = next
        // Far enough from the next second.
        return lines.line(about: error, at: Date(timeIntervalSinceNow: seconds - 0.5), of: shown(), now: start)
    }

    @Test func aLineSaysWhyWhichTryOfHowManyAndWhen() {
        #expect(line(DownloadTry(number: 2, limit: 6), in: 3) == "a.iso: connection failed; try 2 of 6 in 3 s")
        #expect(line(DownloadTry(number: 7, limit: nil), in: 90) == "a.iso: connection failed; try 7 in 1 min 30 s")
        #expect(line(DownloadTry(number: 6, limit: 6)) == "a.iso: connection failed; try 6 of 6 now")
        #expect(line(DownloadTry(number: 1, limit: 6)) == "a.iso: connection failed; trying another place now")
        #expect(line(nil, in: 1) == "a.iso: connection failed; trying again in 1 s")
    }

    @Test func ofAHostThatIsDownTheFirstTenAreToldThenOneInTenSeconds() {
        var lines = RetryLines()
        var told: [String] = []
        // A hundred retries a second for a minute.
        for moment in 0..<6_000 {
            let now = start + .milliseconds(10) * moment
            if let line = lines.line(about: error, at: .distantPast, of: shown(), now: now) { told.append(line) }
        }
        #expect(told.count == 15)
        #expect(told.prefix(10).allSatisfy { $0 == "a.iso: connection failed; trying again now" })
        #expect(told[10] == "a.iso: connection failed; trying again now; and 990 others at host.test")
        #expect(lines.rest == "999 more retries")
    }

    @Test func eachHostHasItsOwnLines() {
        var lines = RetryLines()
        for _ in 1...11 { _ = lines.line(about: error, at: .distantPast, of: shown(), now: start) }
        #expect(lines.rest == "1 more retry")
        #expect(lines.line(about: error, at: .distantPast, of: shown("other.test"), now: start) != nil)
        #expect(lines.line(about: error, at: .distantPast, of: shown(), now: start) == nil)
        // The counts of very many hosts are not kept, but none is forgotten in the sum.
        for host in 1...2_000 { _ = lines.line(about: error, at: .distantPast, of: shown("\(host).test"), now: start) }
        #expect(lines.rest == "2 more retries")
    }

    @Test func nothingIsLeftToSayIfAllWereTold() {
        var lines = RetryLines()
        for _ in 1...10 { _ = lines.line(about: error, at: .distantPast, of: shown(), now: start) }
        #expect(lines.rest == nil)
    }

    @Test func withoutATerminalADisplayShowsRetriesOnly() {
        let written = Written.Lines()
        let display = QuietDisplay(showsRetries: true) { written.lines.append($0) }
        #expect(!display.showsEvents && display.showsRetries)
        display.show(.state(.running), of: shown())
        for _ in 1...12 { display.show(.state(.waiting(.retry(at: .distantPast, after: error))), of: shown()) }
        display.show(.state(.failed(error)), of: shown())
        display.say("said")
        display.finish(FailureCounts(), cure: nil)
        #expect(written.lines.count == 12 && written.lines.suffix(2) == ["said", "2 more retries"])
    }
}
