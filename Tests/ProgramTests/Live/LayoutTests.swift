import Spate
import Testing

@testable import SpateProgram

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
            model[number] = LiveModel.Entry(
                number: number,
                name: ScreenText(Self.names[number % Self.names.count]),
                phase: phases[number % 4],
                progress: DownloadProgress(
                    receivedBytes: (total ?? 400) / 2,
                    totalBytes: total,
                    bytesPerSecond: Double(number) * 1_234_567,
                    connectionCount: number % 7
                )
            )
        }
        model.waitingForSlot = count * 300
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

    @Test func withoutColoursThereAreNoEscapeSequences() {
        let layout = LiveLayout(size: ScreenSize(columns: 80, rows: 24), hasColours: false)
        #expect(!layout.lines(model(10)).contains { $0.text.contains("\u{1B}") })
    }

    @Test(arguments: [(1, ""), (4, " x4")]) func aLineShowsAllValues(connections: Int, shown: String) {
        var model = LiveModel()
        let progress = DownloadProgress(
            receivedBytes: 12_300_000,
            totalBytes: 40_000_000,
            bytesPerSecond: 3_200_000,
            connectionCount: connections
        )
        let entry = LiveModel.Entry(number: 0, name: ScreenText("a.bin"), phase: .running, progress: progress)
        model[0] = entry
        model.done = 2
        let layout = LiveLayout(size: ScreenSize(columns: 80, rows: 24), hasColours: false)
        let words = layout.lines(model).map { $0.text.split(separator: " ").joined(separator: " ") }
        #expect(
            words == [
                "a.bin [### ] 30% 12.3 MB/40 MB\(shown) 3.2 MB/s 9s",
                "2 done, 1 running, 0 waiting, 0 failed, 3.2 MB/s, 9s left",
            ]
        )
        model.rateLimit = 5_000_000
        #expect(layout.lines(model).last?.text.contains("3.2 MB/s, limit 5 MB/s, 9s left") == true)
        model.notice = .help
        #expect(layout.lines(model).contains { $0.text.hasPrefix("< >") && $0.text.hasSuffix("(5 MB/s)") })
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
