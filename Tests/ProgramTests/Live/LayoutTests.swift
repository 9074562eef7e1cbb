import Foundation
import Spate
import SpateTestSupport
import Testing

@testable import SpateConsole

@Suite struct LayoutTests {
    private static let names = [
        "a.bin", "a-very-long-name-of-a-file-that-nobody-can-read-in-one-line-of-a-terminal.tar.gz", "漢字ファイル名.zip",
        "e\u{301}\u{301}\u{301}te\u{301}", "👨‍👩‍👧 family 🇩🇪.tar", "مرحبا.txt", "a\u{1B}[2J\u{202E}b\nc",
        "각\u{1100}\u{1161}.hwp",
        "\u{301}mark", "❤️👍🏽", "\u{10FFFF}\u{E000}", "",
    ]

    private static let styles = [
        DrawingStyle(hasColours: true, hasBlocks: true), DrawingStyle(hasColours: true), DrawingStyle(hasBlocks: true),
    ]

    private func model(_ count: Int, keys: Bool = true) -> LiveModel {
        var model = LiveModel()
        model.hasKeys = keys
        for number in 0..<count {
            let total: Int64? = number % 5 == 4 ? nil : Int64(number) * 999_999_999_999 + 999_949
            let phases: [LiveModel.Phase] = [.running, .running, .paused, .retry(seconds: 4000)]
            let progress = DownloadProgress(
                receivedBytes: (total ?? 400) / 2,
                totalBytes: total,
                bytesPerSecond: Double(number) * 1_234_567,
                connectionCount: number % 7
            )
            model.add(number, Self.names[number % Self.names.count], phases[number % 4], progress)
        }
        for number in count..<(count + min(count, 20)) {
            model.add(number, Self.names[number % Self.names.count], .queued)
        }
        model.notStarted = count * 300
        model.whole.bytesPerSecond = Double(count) * 1_234_567
        model.whole.timeRemaining = .seconds(count)
        return model
    }

    @Test(arguments: [1, 2, 3, 10, 20, 25, 30, 39, 40, 41, 59, 60, 79, 80, 100, 132, 200], [0, 1, 3, 12, 40, 500])
    func linesFitTheTerminal(width: Int, count: Int) {
        var model = model(count)
        for notice in [nil, LiveModel.Notice.help, .deletion(2)] {
            model.notice = notice
            for height in [1, 2, 5, 24, 60] {
                for style in Self.styles {
                    let layout = LiveLayout(size: ScreenSize(columns: width, rows: height), style: style)
                    let lines = layout.lines(model)
                    #expect(lines.count <= max(1, height - 1))
                    for line in lines {
                        var picture = TerminalPicture(columns: max(2, width), rows: 3)
                        picture.feed(line.text)
                        #expect(picture.lines.count <= 1, "\(line.text.debugDescription) wraps at \(width)")
                        #expect(line.columns <= max(1, width - 1))
                        #expect(picture.unknown == [])
                    }
                }
            }
        }
    }

    @Test(arguments: [30, 40, 50, 60, 80, 120, 200])
    func columnsAreAlignedForAnyNameAndNumber(width: Int) {
        for style in [DrawingStyle(hasBlocks: true), DrawingStyle()] {
            let layout = LiveLayout(size: ScreenSize(columns: width, rows: 60), style: style)
            var ends: [String: Set<Int>] = [:]
            for line in layout.lines(model(40)).prefix(41) {
                let columns = line.text.unicodeScalars.reduce(0) { $0 + ScalarWidth.columns(of: $1) }
                #expect(columns == line.columns, "\(line.text)")
                #expect(line.text.last != " ")
                // Where each number ends.
                for unit in ["%", "B ", "B/s"] {
                    guard let end = line.text.range(of: unit, options: .backwards)?.upperBound else { continue }
                    let before = line.text[..<end].unicodeScalars.reduce(0) { $0 + ScalarWidth.columns(of: $1) }
                    ends[unit, default: []].insert(before)
                }
            }
            for (unit, columns) in ends { #expect(columns.count == 1, "\(unit) at \(columns)") }
            #expect(ends["%"] != nil && (width < 40 || ends["B/s"] != nil))
        }
    }

    @Test func theBarGoesBeforeTheNameAndStandsBesideIt() {
        let layouts = (1...400).map { ColumnLayout.fitting($0) }
        for (narrower, layout) in zip(layouts, layouts.dropFirst()) {
            #expect(layout.bar == 0 || layout.name >= 20)
            #expect(layout.bar >= narrower.bar && layout.name <= 60 && layout.bar <= 40)
            #expect(
                [layout.percent, layout.speed, layout.time, layout.amount, layout.bar].count { $0 > 0 }
                    >= [narrower.percent, narrower.speed, narrower.time, narrower.amount, narrower.bar].count { $0 > 0 }
            )
        }
        #expect(layouts[79].bar >= 10 && layouts[49].name >= 20 && layouts[49].bar == 0)
        #expect(layouts[199] == layouts[399])
    }

    @Test func namesThatWouldLookAlikeShowWhatDiffers() {
        let name = "a-long-name-of-a-series-of-files-all-alike-part-N-of-200-and-then-some-more-of-it.tar.gz"
        let urls = [
            "http://h/one/a.bin", "http://h/two/a.bin", "http://h/get?id=1&x=9", "http://h/get?id=2&x=9",
            "http://h/" + name.replacing("N", with: "17"), "http://h/" + name.replacing("N", with: "18"),
            "http://h/b.bin",
        ]
        let entries = urls.enumerated().map { number, url in
            LiveModel.Entry(
                number: number,
                name: ScreenText(
                    String(
                        url.split(separator: "/")[url.contains("?") ? 2 : url.split(separator: "/").count - 1].prefix {
                            $0 != "?"
                        }
                    )
                ),
                url: url,
                phase: .running,
                progress: DownloadProgress()
            )
        }
        for width in [20, 30, 50] {
            let names = RowNames(entries, width: width, DrawingStyle(hasBlocks: true))
            let texts = entries.map { names[$0] }
            #expect(Set(texts).count == entries.count, "\(texts)")
            for text in texts { #expect(ScreenText(text).columns == width, "\(text)") }
            #expect(texts[0].hasPrefix("one/a.bin ") && texts[2].hasPrefix("get?id=1") && texts[6].hasPrefix("b.bin "))
            #expect(texts[4].contains("17") && texts[5].contains("18"))
        }
    }

    @Test func theLastLineLeavesOutWhatIsZeroAndThenWhatMattersLeast() {
        var model = LiveModel()
        (model.hasKeys, model.jobs) = (true, 3)
        let text = { (width: Int) in CountLine(model).text(in: width, DrawingStyle())?.text }
        model.add(0, "f", .running)
        #expect(text(79) == "  ? for keys")
        model.add(1, "f", .running)
        #expect(text(79) == "  2 running, ? for keys")
        model.add(2, "f", .paused)
        model.add(3, "f", .retry(seconds: 3))
        (model.notStarted, model.failed, model.jobs, model.rateLimit) = (130, 5, 4, 5_000_000)
        #expect(
            text(99)
                == "  2 running, 130 waiting, 1 to retry, 1 paused, 5 failed, 4 at once, limit 5.0 MB/s, ? for keys"
        )
        #expect(
            text(60) == "  1 to retry, 5 failed, 4 at once, limit 5.0 MB/s, ? for keys"
                || text(60)?.contains("5 failed, 4 at once, limit 5.0 MB/s, ? for keys") == true
        )
        #expect(text(12) == "  5 failed" && text(3) == nil)
        model = LiveModel()
        model.add(0, "f", .running)
        #expect(text(79) == nil)
    }

    @Test func howManyRunAtOnceIsShownOnceItHasChanged() {
        var model = LiveModel()
        for number in 0...1 { model.add(number, "f", .running) }
        let text = { CountLine(model).text(in: 79, DrawingStyle())?.text }
        // By keys.
        for (jobs, shown) in [(3, ""), (4, ", 4 at once"), (3, "")] {
            model.jobs = jobs
            #expect(text() == "  2 running\(shown)")
        }
        // Found automatically. It stays, and so does the number that a key chooses afterwards.
        model = LiveModel()
        for number in 0...1 { model.add(number, "f", .running) }
        model.findsJobs = true
        for (jobs, shown) in [(3, ""), (3, ""), (6, ", 6 at once"), (3, ", 3 at once")] {
            model.jobs = jobs
            #expect(text() == "  2 running\(shown)")
        }
        model.findsJobs = false
        #expect(text() == "  2 running, 3 at once")
    }

    @Test func theHelpAboutKeysSaysWhetherTheNumberIsAutomatic() {
        var model = LiveModel()
        (model.jobs, model.notice) = (12, .help)
        let rows = { (model: LiveModel) in
            LiveLayout(size: ScreenSize(columns: 80, rows: 24), style: DrawingStyle()).lines(model).map(\.text)
        }
        #expect(rows(model).contains("+ - a        more or fewer at once, or automatic (12)"))
        model.findsJobs = true
        #expect(rows(model).contains("+ - a        more or fewer at once, or automatic (12, automatic)"))
    }

    @Test func theSelectedDownloadIsShown() {
        var model = model(500)
        let layout = LiveLayout(size: ScreenSize(columns: 80, rows: 10), style: DrawingStyle())
        for number in [0, 1, 250, 498, 499] {
            model.selected = number
            let lines = layout.lines(model)
            #expect(lines.count { $0.text.hasPrefix("> ") } == 1)
            #expect(lines.contains { $0.text.contains("and 494 more") })
        }
    }

    @Test func thoseThatWaitHaveLinesWhileOneOfThemIsSelected() {
        var model = LiveModel()
        for number in 0..<100 {
            model.add(number, "\(number).bin", number < 2 ? .running : .queued)
        }
        model.hasKeys = true
        let layout = LiveLayout(size: ScreenSize(columns: 80, rows: 12), style: DrawingStyle())
        for _ in 0..<2 { model.select(by: 1) }
        #expect(layout.lines(model).count == 4 && model.selected == 1)
        for _ in 0..<60 { model.select(by: 1) }
        #expect(model.selected == 61 && layout.lines(model).count == 11)
        #expect(layout.lines(model).contains { $0.text.hasPrefix("> 61.bin ") && $0.text.hasSuffix(" waiting") })
        #expect(layout.lines(model).contains { $0.text.contains("and 92 more") })
        // It begins to run, and another that was there before ends.
        model[61]?.phase = .running
        #expect(model.selected == 61 && model.waiting == 97 && layout.lines(model).count == 5)
        model[61] = nil
        #expect(model.selected == 1)
        for _ in 0..<500 { model.select(by: 1) }
        #expect(model.selected == 99)
        model[99] = nil
        #expect(model.selected == 98)
        for _ in 0..<500 { model.select(by: -1) }
        #expect(model.selected == 0)
    }

    @Test func theTotalIsOfAllAsFarAsSizesAreKnown() {
        var model = LiveModel()
        #expect(model.total.fraction == nil)
        model.add(0, "f", .running, DownloadProgress(receivedBytes: 50, totalBytes: 100))
        model.add(1, "f", .queued)
        model.whole = DownloadManagerProgress(totalCount: 2, receivedBytes: 50, bytesPerSecond: 25)
        model.whole.timeRemaining = .seconds(6)
        #expect(model.total.fraction == 0.25 && model.total.timeRemaining == .seconds(6) && model.total.isEstimate)
        // The rest of the list is no bigger than what is known.
        model.notStarted = 8
        #expect(model.total.fraction == 0.05 && model.total.timeRemaining == .seconds(38))
        #expect(model.total.totalBytes == 1_000)
        (model.done, model.endedBytes) = (2, 600)
        #expect(abs((model.total.fraction ?? 0) - 650.0 / 2_800) < 0.000_1)
        model.listHasMore = true
        #expect(model.total.fraction == nil && model.total.timeRemaining == nil)
        (model.listHasMore, model.notStarted, model.whole.totalBytes) = (false, 0, 200)
        #expect(model.total.fraction == 0.25 && model.total.totalBytes == 200 && !model.total.isEstimate)
    }

    @Test func whatNeverAnsweredIsUnknown() {
        var model = LiveModel()
        (model.done, model.endedBytes) = (4, 400)
        model.add(0, "dead", .retry(seconds: 9))
        model.whole = DownloadManagerProgress(finishedCount: 4, totalCount: 5, receivedBytes: 400)
        #expect(model.total == LiveTotal(receivedBytes: 400, isEstimate: true))
        // As long as another one runs, its size is known, and the dead one counts for nothing.
        model.add(1, "f", .running, DownloadProgress(receivedBytes: 50, totalBytes: 100))
        #expect(model.total.fraction == 0.9 && model.total.totalBytes == 500 && model.total.isEstimate)
        model.add(1, "f", .syncing, DownloadProgress(receivedBytes: 100, totalBytes: 100))
        #expect(model.total.fraction == 0.99)
    }

    /// Tests/Snapshots/live.txt shows the whole display.
    @Test func theDisplayLooksAsBefore() throws {
        var model = LiveModel()
        model.hasKeys = true
        let phases: [LiveModel.Phase] = [.running, .running, .paused, .retry(seconds: 9), .syncing]
        for (number, phase) in phases.enumerated() {
            let progress = DownloadProgress(
                receivedBytes: 12_300_000,
                totalBytes: number == 1 ? nil : 40_000_000,
                bytesPerSecond: phase == .running ? 3_200_000 : 0,
                connectionCount: number == 0 ? 4 : 1
            )
            model.add(number, ["a.bin", "漢字.zip", "paused.iso", "retry.iso", "synced.iso"][number], phase, progress)
        }
        (model.done, model.endedBytes, model.notStarted) = (2, 60_000_000, 3)
        model.whole = DownloadManagerProgress(
            finishedCount: 2,
            totalCount: 10,
            receivedBytes: 72_300_000,
            totalBytes: 100_000_000,
            bytesPerSecond: 3_200_000,
            timeRemaining: .seconds(9)
        )
        var text = ""
        for (columns, limit, notice) in [
            (40, nil, nil), (50, nil, nil), (80, nil, .deletion(2)), (80, 5_000_000, .help), (120, 5_000_000, nil),
            (200, nil, nil),
        ] as [(Int, Int64?, LiveModel.Notice?)] {
            (model.rateLimit, model.notice) = (limit, notice)
            model.selected = notice == nil ? nil : 2
            for style in [DrawingStyle(hasBlocks: true), DrawingStyle()] {
                let layout = LiveLayout(size: ScreenSize(columns: columns, rows: 24), style: style)
                let name = style.hasBlocks ? "blocks" : "ASCII"
                text += "\(columns) columns, \(name):\n" + layout.lines(model).map { "\($0.text)\n" }.joined() + "\n"
            }
        }
        #expect(!text.contains("\u{1B}"))
        #expect(try Snapshot("Tests/Snapshots/live.txt").difference(from: text) == nil)
    }
}

extension LiveModel {
    mutating func add(
        _ number: Int,
        _ name: String,
        _ phase: Phase,
        _ progress: DownloadProgress = DownloadProgress()
    ) {
        let url = "http://h/\(number)/\(name)"
        self[number] = Entry(number: number, name: ScreenText(name), url: url, phase: phase, progress: progress)
    }
}

@Suite struct ScalarWidthTests {
    @Test(arguments: [
        ("a", 1), ("é", 1), ("\u{301}", 0), ("漢", 2), ("ア", 2), ("ｱ", 1), ("Ａ", 2), ("한", 2), ("\u{1100}", 2),
        ("\u{1161}", 0), ("😀", 2), ("\u{200D}", 0), ("\u{200B}", 0), ("\u{FE0F}", 0), ("م", 1), ("\u{AD}", 1),
        ("\u{7}", 0), ("…", 1), ("\u{20000}", 2), ("⌚", 2), ("❤", 1), ("\u{3000}", 2), ("क", 1),
    ])
    func aScalarHasAWidth(text: String, columns: Int) throws {
        #expect(ScalarWidth.columns(of: try #require(text.unicodeScalars.first)) == columns)
    }

    @Test(arguments: [
        ("a.bin", 10, "a.bin     "), ("漢字", 3, "漢 "), ("漢字漢字漢字.zip", 12, "漢字漢...zip"), ("abcdefghijkl", 8, "abcd...l"),
        ("🇩🇪", 2, "DE"), ("👨‍👩‍👧x", 3, "👨x"), ("a\u{1B}b", 3, "a b"), ("a\u{202E}b", 2, "ab"), ("", 2, "  "),
    ])
    func aTextIsCutAndPaddedToAWidth(text: String, width: Int, shown: String) {
        #expect(ScreenText(text).fitted(to: width) == shown)
    }
}
