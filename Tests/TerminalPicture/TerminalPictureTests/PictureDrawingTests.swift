import Foundation
import Testing

@testable import terminal_picture

@Suite struct PictureDrawingTests {
    private func svg(_ text: String) -> String {
        PictureDrawing.svg(TerminalCapture(text), columns: 40, title: "a & b", description: "<c>")
    }

    private func lines(_ text: String) -> [String] {
        svg(text).split(separator: "\n").filter { $0.contains("textLength") }.map(String.init)
    }

    @Test func everyWordHasAPlaceAndAWidth() {
        let lines = lines("ab \u{1B}[1;32mcde\u{1B}[0m")
        #expect(lines.count == 2)
        #expect(lines[0].contains("x=\"16\"") && lines[0].contains("textLength=\"16.86\"") && lines[0].contains(">ab<"))
        #expect(lines[1].contains("x=\"41.29\"") && lines[1].contains("textLength=\"25.29\""))
        #expect(lines[1].contains("fill=\"#3fb950\" font-weight=\"bold\""))
    }

    @Test func whatMarkupNeedsIsEscaped() {
        let svg = svg("a<b>&c")
        #expect(svg.contains(">a&lt;b&gt;&amp;c</text>"))
        #expect(svg.contains("<title id=\"title\">a &amp; b</title>"))
        #expect(svg.contains("&lt;c&gt;</desc>"))
    }

    @Test func aBackgroundIsDrawnBehindItsText() throws {
        let svg = svg("x\u{1B}[7;31m y \u{1B}[0m")
        let ground = try #require(svg.range(of: "<rect x=\"24.43\""))
        let word = try #require(svg.range(of: ">y</text>"))
        #expect(ground.lowerBound < word.lowerBound)
        #expect(svg[ground.lowerBound...].prefix(120).contains("width=\"25.29\" height=\"19\" fill=\"#ff7b72\""))
    }

    @Test(arguments: [
        (TerminalColour.numbered(16), "#000000"), (.numbered(231), "#ffffff"), (.numbered(208), "#ff8700"),
        (.numbered(232), "#080808"), (.numbered(255), "#eeeeee"), (.numbered(-1), "#000000"),
        (.numbered(999), "#ffffff"),
        (.mixed(red: 1, green: 171, blue: 300), "#01abff"),
    ])
    func coloursAreThoseOfTerminals(colour: TerminalColour, text: String) {
        #expect(colour.text == text)
    }

    /// That it is drawn from a real run shows in what only a run can say.
    @Test func theCommittedPictureShowsTheDisplayAtWork() throws {
        let package = URL(filePath: #filePath).deletingLastPathComponent()
            .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
        let svg = try String(contentsOf: package.appending(path: "Documentation/live.svg"), encoding: .utf8)
        let words = svg.matches(of: /textLength[^>]*>([^<]*)</).map { String($0.1) }
        #expect(words.starts(with: ["$", "spate"]))
        let text = words.joined(separator: " ")
        #expect(
            text.contains("3 running,") && text.contains("again in") && text.contains("1 paused")
                && text.contains("the server answered 503; trying again")
        )
        #expect(text.contains("MB/s") && text.contains(/[2-9] done,/))
    }
}
