import Testing

@testable import SpateConsole

@Suite struct LiveScreenTests {
    private func lines(_ texts: [String]) -> [ScreenLine] {
        texts.map { ScreenLine(text: $0, columns: $0.count) }
    }

    private static let pictures: [[String]] = [
        [], ["a"], ["a", "b", "c"], ["a", "x", "c"], ["a longer line", "b", "c"], ["a", "b", "x"],
        ["a", "b", "c", "d", "e"], ["q"],
    ]

    @Test(arguments: pictures, pictures)
    func theNewLinesReplaceTheOldOnes(old: [String], new: [String]) {
        for rows in [6, 12] {
            var screen = LiveScreen(width: 20)
            var picture = TerminalPicture(columns: 20, rows: rows)
            picture.feed("$ before\r\n")
            picture.feed(screen.update(lines(old)))
            picture.feed(screen.update(lines(new)))
            #expect(picture.all == ["$ before"] + new)
            picture.feed(screen.update(lines(old), above: ["one", "two"]))
            #expect(picture.all == ["$ before", "one", "two"] + old)
            picture.feed(screen.erase() + "$ ")
            #expect(picture.all.filter { !$0.isEmpty } == ["$ before", "one", "two", "$"])
            #expect(picture.unknown == [])
        }
    }

    @Test(arguments: [(20, 40), (20, 19), (20, 7), (20, 3), (7, 20), (3, 40)])
    func theNewLinesReplaceTheOldOnesAfterAResize(old: Int, new: Int) {
        for count in 1...4 {
            var screen = LiveScreen(width: old)
            var picture = TerminalPicture(columns: old, rows: 30)
            picture.feed("$\r\n")
            picture.feed(screen.update(lines(Array(repeating: String(repeating: "a", count: old - 1), count: count))))
            picture.resize(columns: new, rows: 30)
            let shown = Array(repeating: String(repeating: "b", count: new - 1), count: count)
            picture.feed(screen.resize(to: new) + screen.update(lines(shown)))
            #expect(picture.all == ["$"] + shown)
        }
    }

    @Test func unchangedLinesAreNotWrittenAgain() {
        var screen = LiveScreen(width: 20)
        _ = screen.update(lines(["first", "second", "third"]))
        #expect(screen.update(lines(["first", "second", "third"])) == "")
        let change = screen.update(lines(["first", "other", "third"]))
        #expect(change.contains("other"))
        #expect(!change.contains("first") && !change.contains("third"))
    }
}
