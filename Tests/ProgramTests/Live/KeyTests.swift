import Spate
import Testing

@testable import SpateConsole

@Suite struct KeyParserTests {
    private static let table: [(String, [Key])] = [
        ("jk", [.character("j"), .character("k")]),
        ("\u{1B}[A\u{1B}[B", [.up, .down]),
        ("\u{1B}OA\u{1B}OB", [.up, .down]),
        ("\u{1B}[1;5A\u{1B}[3~x", [.character("x")]),
        ("\u{1B}[200~qxdy\u{1B}[A\u{1B}[201~j", [.character("j")]),
        ("\u{1B}[200~q\u{1B}q\u{1B}", []),
        ("\u{1B}q", []),
        ("\u{1B}]0;qdy\u{7}?", [.character("?")]),
        ("\u{1B}Pqdy\u{1B}\\+", [.character("+")]),
        ("\u{1B}[<0;1;1M ", [.character(" ")]),
        ("\r\n\t\u{0}é漢", []),
    ]

    @Test(arguments: table)
    func sequencesMayArriveInPieces(text: String, keys: [Key]) {
        var whole = KeyParser()
        #expect(whole.feed(text.utf8) == keys)
        var pieces = KeyParser()
        #expect(text.utf8.flatMap { pieces.feed([$0]) } == keys)
    }

    @Test func escapeIsAKeyOnlyIfNothingFollows() {
        var parser = KeyParser()
        #expect(parser.flush() == nil)
        #expect(parser.feed([0x1B]) == [])
        #expect(parser.flush() == .escape)
        #expect(parser.feed("[".utf8) == [.character("[")])
    }

    @Test func anEndlessSequenceIsIgnored() {
        var parser = KeyParser()
        #expect(parser.feed("\u{1B}[".utf8) == [])
        #expect(parser.feed(Array(repeating: UInt8(ascii: "1"), count: 100_000)) == [])
        #expect(parser.feed("~j".utf8) == [.character("j")])
    }
}

@Suite struct LiveKeysTests {
    private var model: LiveModel

    init() {
        model = LiveModel()
        for (number, phase) in [LiveModel.Phase.running, .paused, .running].enumerated() {
            model.add(number, "\(number)", phase)
        }
    }

    private mutating func press(_ keys: String) -> [RunCommand] {
        keys.compactMap { LiveKeys.press(.character($0), &model) }
    }

    @Test(
        arguments: [
            ("j ", [.pause(0)]), ("jj ", [.resume(1)]), ("k ", [.pause(2)]), ("jjjjx", [.cancel(2)]),
            ("jkkx", [.cancel(0)]),
            ("jdy", [.delete(0)]), ("jdn", []), ("jdqy", []), ("dy", []),
            ("+-a", [.changeJobs(1), .changeJobs(-1), .findJobs]),
            ("<>=", [.changeRate(.lower), .changeRate(.higher), .changeRate(.unlimited)]),
            ("P", [.pauseAll]), ("q", [.quit]), ("?jq", [.quit]), ("zZ#y", []),
        ] as [(String, [RunCommand])]
    )
    func aKeyGivesACommand(keys: String, commands: [RunCommand]) {
        var tests = self
        #expect(tests.press(keys) == commands)
    }

    /// The table says only what the keys do.
    @Test func theHelpNamesEveryKeyThatHasAnEffect() {
        let named = KeyHelp.all.flatMap { row in
            row.keys.split { " ,".contains($0) }.filter { $0 != "arrows" }.map { $0 == "space" ? " " : String($0) }
        }
        let effective = (0x20...0x7E).map { String(UnicodeScalar(UInt8($0))) }.filter { text in
            var model = self.model
            for _ in 1...2 { model.select(by: 1) }
            let before = model
            let command = LiveKeys.press(.character(Character(text)), &model)
            return command != nil || model.selected != before.selected || model.notice != before.notice
        }
        #expect(named.sorted() == effective.sorted())
    }

    @Test mutating func pauseAllResumesIfAllArePausedAndPausesRetriesToo() {
        for number in [0, 2] { model[number]?.phase = .paused }
        #expect(press("P") == [.resumeAll])
        for number in 0...2 { model[number]?.phase = .retry(seconds: 3) }
        #expect(press("P") == [.pauseAll])
    }

    @Test mutating func theSelectionMovesToTheNextDownload() {
        _ = press("jj")
        model[1] = nil
        #expect(model.selected == 2)
        model[2] = nil
        #expect(model.selected == 0)
        _ = press("d")
        model[0] = nil
        #expect(model.selected == nil && model.notice == nil)
    }
}

@Suite struct RateStepTests {
    @Test(
        arguments: [
            (.lower, nil, 3_400_000, 2_000_000), (.lower, nil, 2_000_000, 1_000_000), (.lower, nil, 0, 500_000),
            (.lower, 2_000_000, 1_900_000, 1_000_000), (.lower, 1_500_000, 9, 1_000_000), (.lower, 1_000, 9, 1_000),
            (.higher, 1_000, 9, 2_000), (.higher, 512_000, 9, 1_000_000), (.higher, 500_000_000, 9, nil),
            (.higher, nil, 9, nil), (.unlimited, 1_000, 9, nil),
        ] as [(RateStep, Int64?, Double, Int64?)]
    )
    func stepsAreRound(step: RateStep, limit: Int64?, speed: Double, next: Int64?) {
        #expect(step.limit(after: limit, at: speed) == next)
    }
}
