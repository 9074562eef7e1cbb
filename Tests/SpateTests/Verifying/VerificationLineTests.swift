import SpateFilePaths
import Testing

@testable import Spate

/// The line of names, without files and workers.
@Suite struct VerificationLineTests {
    private func line(_ count: Int, window: Int = 10) -> VerificationLine<Int> {
        var line = VerificationLine<Int>()
        line.begin((0..<count).map { "\($0)" }, window: window)
        return line
    }

    @Test func resultsComeInTheOrderOfTheNames() {
        var line = line(3)
        let taken = (0..<3).compactMap { line.take(for: $0)?.name }
        #expect(taken == ["0", "1", "2"] && line.take(for: 0) == nil)
        line.put(20, at: 2)
        #expect(!line.isReadable && line.popFirst() == nil)
        line.put(10, at: 1)
        line.put(0, at: 0)
        #expect(line.isComplete)
        #expect([line.popFirst(), line.popFirst(), line.popFirst()] == [0, 10, 20])
        #expect(line.isReadable && line.popFirst() == nil)
    }

    @Test func namesWithoutAResultAreNotRead() {
        var line = line(4)
        for index in 0..<4 { #expect(line.take(for: 0)?.index == index) }
        for index in [1, 3, 0] { line.put(nil, at: index) }
        #expect(!line.isReadable && !line.isComplete)
        line.put(2, at: 2)
        #expect(line.isComplete && line.popFirst() == 2 && line.popFirst() == nil && line.isReadable)
    }

    @Test func workersWaitForTheReader() {
        var line = line(9, window: 2)
        for index in 0..<2 {
            #expect(line.take(for: 7)?.index == index)
            line.put(index, at: index)
        }
        #expect(line.take(for: 7) == nil && line.take(for: 8) == nil && line.takeIdle() == [])
        #expect(line.popFirst() == 0)
        #expect(line.takeIdle() == [7, 8] && line.takeIdle() == [])
        #expect(line.take(for: 8)?.index == 2 && line.take(for: 7) == nil)
    }

    @Test func nothingFollowsTheEnd() {
        var line = line(2)
        #expect(line.take(for: 0) != nil)
        line.put(0, at: 0)
        line.end()
        line.put(1, at: 1)
        #expect(line.isOver && line.isReadable && line.popFirst() == nil && line.take(for: 0) == nil)
    }

    @Test func aFailureIsTheOnlyResult() {
        var line = VerificationLine<Int>()
        #expect(!line.isReadable)
        line.fail(with: 1)
        #expect(line.isReadable && line.popFirst() == 1 && line.popFirst() == nil && line.isReadable)
        var empty = self.line(0)
        #expect(empty.isReadable && empty.popFirst() == nil)
    }
}
