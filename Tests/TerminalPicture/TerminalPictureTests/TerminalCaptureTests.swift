import Testing

@testable import terminal_picture

@Suite struct TerminalCaptureTests {
    private func run(_ text: String, at column: Int, _ change: (inout TerminalStyle) -> Void = { _ in }) -> StyledRun {
        var style = TerminalStyle()
        change(&style)
        return StyledRun(text: text, column: column, columns: text.unicodeScalars.count, style: style)
    }

    @Test func colouredWordsBecomeRunsAtTheirColumns() {
        let capture = TerminalCapture("  \u{1B}[1mname\u{1B}[0m [\u{1B}[32m##\u{1B}[39m ]\n")
        #expect(
            capture.lines == [
                [
                    run("  ", at: 0), run("name", at: 2) { $0.isBold = true }, run(" [", at: 6),
                    run("##", at: 8) { $0.foreground = .numbered(2) }, run(" ]", at: 10),
                ]
            ]
        )
    }

    @Test func aStyleLastsBeyondTheLineUntilItIsReset() {
        let capture = TerminalCapture("\u{1B}[33ma\nb\u{1B}[m\nc")
        #expect(capture.lines.map { $0.first?.style.foreground } == [.numbered(3), .numbered(3), nil])
    }

    @Test(arguments: [
        ("1;31", TerminalStyle(foreground: .numbered(1), isBold: true)),
        ("97;104", TerminalStyle(foreground: .numbered(15), background: .numbered(12))),
        ("38;5;208;7", TerminalStyle(foreground: .numbered(208), isReversed: true)),
        ("48;2;1;2;3", TerminalStyle(background: .mixed(red: 1, green: 2, blue: 3))),
        ("38:5:9", TerminalStyle(foreground: .numbered(9))),
        ("1;2;22;3;23;4;24;7;27", TerminalStyle()),
        ("31;0", TerminalStyle()), ("", TerminalStyle()), ("38;5", TerminalStyle()), ("38;2;1", TerminalStyle()),
        ("999", TerminalStyle()),
    ])
    func everyCodeOfStyleIsRead(codes: String, style: TerminalStyle) {
        #expect(TerminalCapture("\u{1B}[\(codes)mx").lines.first?.first?.style == style)
    }

    @Test(arguments: [
        "\u{1B}(Bx", "\u{1B}]8;;https://host\u{1B}\\x", "\u{1B}]0;title\u{07}x", "\u{1B}[?25lx", "\u{1B}[2Kx",
        "\u{1B}7x",
    ])
    func whatIsNoStyleLeavesNothing(text: String) {
        #expect(TerminalCapture(text).lines == [[run("x", at: 0)]])
    }

    @Test(arguments: ["\u{1B}", "\u{1B}[", "\u{1B}[3", "\u{1B}]", "\u{1B}(", ""])
    func whatIsCutShortIsNothing(text: String) {
        #expect(TerminalCapture(text).lines == [])
    }

    @Test func wideCharactersTakeTwoColumnsAndCombiningOnesNone() {
        let capture = TerminalCapture("日e\u{301}\u{1B}[1mx")
        #expect(capture.lines.first?.map(\.column) == [0, 3])
        #expect(capture.columns == 4)
    }

    @Test func wordsStandWhereTheyStood() {
        let words = run("  a  bc d", at: 3).words
        #expect(words.map(\.text) == ["a", "bc", "d"])
        #expect(words.map(\.column) == [5, 8, 11])
        #expect(words.map(\.columns) == [1, 2, 1])
    }
}
