import Spate
import TestSupport
import Testing

@testable import SpateConsole

@Suite struct LayoutTests {
    private static let names = [
        "a.bin", "a-very-long-name-of-a-file-that-nobody-can-read-in-one-line-of-a-terminal.tar.gz", "漢字ファイル名.zip",
        "e\u{301}\u{301}\u{301}te\u{301}", "👨‍👩‍👧 family 🇩🇪.tar", "مرحبا.txt", "a\u{1B}[2J\u{202E}b\nc",
        "각\u{1100}\u{1161}.hwp",
        "\u{301}mark", "❤️👍🏽", "\u{10FFFF}\u{E000}", "",
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
                let layout = LiveLayout(size: ScreenSize(columns: width, rows: height), hasColours: true)
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

    @Test(arguments: [40, 60, 80, 120])
    func columnsAreAlignedForAnyName(width: Int) {
        let layout = LiveLayout(size: ScreenSize(columns: width, rows: 60), hasColours: false)
        for line in layout.lines(model(40)).prefix(40) {
            let columns = line.text.unicodeScalars.reduce(0) { $0 + ScalarWidth.columns(of: $1) }
            #expect(columns == line.columns, "\(line.text)")
            #expect(line.text.last != " ")
            // A line ends with the time, or with the speed if the time is not known, or with neither if nothing arrives.
            // Where some file has several connections, their number stands before the speed.
            let none = width - 1 - 7 - 11
            let endings = line.text.contains("/s") ? [width - 1, width - 1 - 7] : [width - 1, none, none - 4]
            #expect(endings.contains(columns), "\(line.text)")
        }
    }

    @Test func theSelectedDownloadIsShown() {
        var model = model(500)
        let layout = LiveLayout(size: ScreenSize(columns: 80, rows: 10), hasColours: false)
        for number in [0, 1, 250, 498, 499] {
            model.selected = number
            let lines = layout.lines(model)
            #expect(lines.count { $0.text.hasPrefix("> ") } == 1)
            #expect(lines.contains { $0.text.contains("and 493 more") })
        }
    }

    @Test func thoseThatWaitHaveLinesWhileOneOfThemIsSelected() {
        var model = LiveModel()
        for number in 0..<100 {
            model.add(number, "\(number).bin", number < 2 ? .running : .queued)
        }
        model.hasKeys = true
        let layout = LiveLayout(size: ScreenSize(columns: 80, rows: 12), hasColours: false)
        for _ in 0..<2 { model.select(by: 1) }
        #expect(layout.lines(model).count == 3 && model.selected == 1)
        for _ in 0..<60 { model.select(by: 1) }
        #expect(model.selected == 61 && layout.lines(model).count == 11)
        #expect(layout.lines(model).contains { $0.text.hasPrefix("> 61.bin ") && $0.text.hasSuffix(" waiting") })
        #expect(layout.lines(model).contains { $0.text.contains("and 91 more") })
        // It begins to run, and another that was there before ends.
        model[61]?.phase = .running
        #expect(model.selected == 61 && model.waiting == 97 && layout.lines(model).count == 4)
        model[61] = nil
        #expect(model.selected == 1)
        for _ in 0..<500 { model.select(by: 1) }
        #expect(model.selected == 99)
        model[99] = nil
        #expect(model.selected == 98)
        for _ in 0..<500 { model.select(by: -1) }
        #expect(model.selected == 0)
    }

    @Test func theBarIsOfAllAsFarAsSizesAreKnown() {
        var model = LiveModel()
        #expect(model.fraction == nil)
        model.add(0, "f", .running, DownloadProgress(receivedBytes: 50, totalBytes: 100))
        model.add(1, "f", .queued)
        model.whole = DownloadManagerProgress(totalCount: 2, receivedBytes: 50, bytesPerSecond: 25)
        model.whole.timeRemaining = .seconds(6)
        #expect(model.fraction == 0.25 && model.timeRemaining == .seconds(6))
        // The rest of the list is no bigger than what is known.
        model.notStarted = 8
        #expect(model.fraction == 0.05 && model.timeRemaining == .seconds(38))
        (model.done, model.endedBytes) = (2, 600)
        #expect(abs((model.fraction ?? 0) - 650.0 / 2_800) < 0.000_1)
        model.listHasMore = true
        #expect(model.fraction == nil && model.timeRemaining == nil)
        (model.listHasMore, model.notStarted, model.whole.totalBytes) = (false, 0, 200)
        #expect(model.fraction == 0.25)
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
            (40, nil, nil), (80, nil, .deletion(2)), (80, 5_000_000, .help), (132, 5_000_000, nil),
        ] as [(Int, Int64?, LiveModel.Notice?)] {
            (model.rateLimit, model.notice) = (limit, notice)
            model.selected = notice == nil ? nil : 2
            let layout = LiveLayout(size: ScreenSize(columns: columns, rows: 24), hasColours: false)
            text += "\(columns) columns:\n" + layout.lines(model).map { "\($0.text)\n" }.joined() + "\n"
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
        self[number] = Entry(number: number, name: ScreenText(name), phase: phase, progress: progress)
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
