import Foundation
import Spate
import Testing

@testable import SpateConsole

/// The display without a terminal: what it writes, and when. A process has one terminal, to restore after a crash.
@Suite(.serialized) struct LiveDisplayTests {
    private final class Written {
        private var text = ""

        func write(_ text: String) { self.text += text }

        /// What was written since the last call.
        func take() -> String {
            defer { text = "" }
            return text
        }
    }

    private let written = Written()
    private let display: LiveDisplay

    init() {
        let terminal = LiveTerminal(readsKeys: false) { [written] in written.write($0) }
        display = LiveDisplay(terminal: terminal, DrawingStyle())
    }

    private func show(_ state: DownloadState) {
        display.show(.state(state), of: ShownDownload(number: 0, url: "http://h/a.bin", name: "a.bin"))
    }

    /// A line that is drawn after the program has left the screen stays there for good.
    @Test func betweenASuspensionAndItsEndNothingIsDrawn() {
        show(.running)
        display.tick()
        #expect(written.take().contains("  a.bin "))
        display.handle(.suspended)
        _ = written.take()
        display.tick()
        #expect(written.take() == "")
        display.handle(.continued)
        #expect(written.take().contains("  a.bin "))
        // Whether it was stopped, or whether nobody could have continued it.
        display.handle(.continued)
        display.end()
    }

    /// The first may finish before there is any news of the others.
    @Test(arguments: [(99, true), (100, false)]) func filesAreCountedBeforeTheirFirstNews(others: Int, isListed: Bool) {
        display.expect(0, after: 1 + others, listHasMore: false)
        show(.running)
        show(.finished(URL(fileURLWithPath: "/d/a.bin")))
        display.tick()
        let text = written.take()
        #expect(text.contains("a.bin: 0 B in ") == isListed)
        #expect(text.contains("  1 of \(1 + others) files "))
        display.end()
    }

    @Test func anEndedDownloadIsALineThatStays() {
        show(.running)
        display.tick()
        show(.finished(URL(fileURLWithPath: "/d/a.bin")))
        display.say("spate: http://h/b.bin: 404 Not Found", as: .failure)
        _ = written.take()
        display.tick()
        #expect(written.take().contains(/a\.bin: 0 B in [0-9.]+ s\r\nspate: http:\/\/h\/b\.bin: 404 Not Found\r\n/))
        display.end()
    }
}
