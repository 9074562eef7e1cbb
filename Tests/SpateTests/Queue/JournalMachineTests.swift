import SpateQueueJournals
import Testing

@testable import Spate

/// What is written, synced, removed and written anew, row by row, without a disk.
@Suite struct JournalMachineTests {
    enum Event {
        case add(UInt64)
        case end(UInt64)
        case fail(UInt64)
        /// The failures of these downloads are over.
        case endFailures([UInt64])
        /// The lines have been written, into a file that had to be made if there was none.
        case wrote(toNewFile: Bool = false)
        case cannotWrite
        case takesSync
        case cannotSync
        case removed
        case replaced(liveCount: Int, without: [UInt64] = [])
        case closed
    }

    struct Row: CustomTestStringConvertible {
        let testDescription: String
        let events: [Event]
        var lines: [String] = []
        var tidying: JournalMachine.Tidying = .keep
        var unsynced: JournalMachine.Unsynced = .nothing
        var isLong = false
        var isWhole = true
        var isDoubtful = false

        init(_ claim: String, _ events: [Event], _ change: (inout Row) -> Void = { _ in }) {
            (testDescription, self.events) = (claim, events)
            change(&self)
        }
    }

    private static let one = "+ 1 http://host/1"
    private static let failed = "! \(failure(1)) http://host/1\tcode=tls"
    private static func failure(_ number: UInt64) -> UInt64 { JournalRecord.failureNumber(of: number) }
    private static let made: [Event] = [.add(1), .wrote(toNewFile: true)]
    private static let many: [Event] = [.add(1), .add(2), .add(3), .end(1), .end(2), .wrote(toNewFile: true)]

    static let rows = [
        Row("a new journal has nothing to do", []) { $0.tidying = .remove },
        Row("what is enqueued is a line", [.add(1)]) { $0.lines = [one] },
        Row("it is added once", [.add(1), .add(1)]) { $0.lines = [one] },
        Row("its end is a line, and nothing is left to do", [.add(1), .end(1)]) {
            ($0.lines, $0.tidying) = ([one, "- 1"], .remove)
        },
        Row("an end of what was not added is none", [.add(1), .end(2)]) { $0.lines = [one] },
        Row("it ends once", [.add(1), .end(1), .end(1)]) { ($0.lines, $0.tidying) = ([one, "- 1"], .remove) },
        Row("a failure is a line before its download's end, and stays", [.add(1), .fail(1)]) {
            $0.lines = [one, failed, "- 1"]
        },
        Row("what was not added does not fail", [.add(1), .fail(2)]) { $0.lines = [one] },
        Row("it fails once", [.add(1), .fail(1), .fail(1), .end(1)]) { $0.lines = [one, failed, "- 1"] },
        Row("when the failure is over, nothing is left to do", [.add(1), .fail(1), .endFailures([1])]) {
            ($0.lines, $0.tidying, $0.isLong) = ([one, failed, "- 1", "- \(failure(1))"], .remove, true)
        },
        Row("what has not failed, or is over, has no such end", [.add(1), .fail(1), .endFailures([2]), .closed]) {
            ($0.lines, $0.tidying) = ([one, failed, "- 1"], .nothing)
        },
        Row("a failure is over once", [.add(1), .fail(1), .endFailures([1]), .endFailures([1])]) {
            ($0.lines, $0.tidying, $0.isLong) = ([one, failed, "- 1", "- \(failure(1))"], .remove, true)
        },
        Row("many failures make no file long", [.add(1), .add(2), .fail(1), .fail(2), .wrote(toNewFile: true)]) {
            $0.unsynced = .bytesAndName
        },
        Row(
            "a failure that a copy leaves out has ended",
            made + [.fail(1), .wrote(), .replaced(liveCount: 1, without: [1])]
        ) { ($0.tidying, $0.unsynced) = (.remove, .bytesAndName) },
        Row("a new file is synced with its name", made) { $0.unsynced = .bytesAndName },
        Row("a name that was not synced is not forgotten by the next write", made + [.add(2), .wrote()]) {
            $0.unsynced = .bytesAndName
        },
        Row("the next lines need no sync of the name", made + [.takesSync, .add(2), .wrote()]) {
            $0.unsynced = .bytes
        },
        Row("what was synced is not synced again", made + [.takesSync]),
        Row("a few lines that could not be written are tried again", [.add(1), .cannotWrite]) { $0.lines = [one] },
        Row(
            "after a failed sync a later one proves nothing",
            made + [.takesSync, .cannotSync, .add(2), .wrote(), .takesSync]
        ) { ($0.isWhole, $0.isDoubtful) = (false, true) },
        Row(
            "a new file ends the doubt, and its name is synced",
            made + [.takesSync, .cannotSync, .replaced(liveCount: 1)]
        ) { $0.unsynced = .bytesAndName },
        Row("a file of which most has ended is long", many) { ($0.unsynced, $0.isLong) = (.bytesAndName, true) },
        Row("it is not when it was written anew", many + [.replaced(liveCount: 1)]) { $0.unsynced = .bytesAndName },
        Row("a removed file has nothing to sync, and what was noted needs no line", made + [.end(1), .removed]) {
            $0.tidying = .remove
        },
        Row("after the close nothing is noted", [.add(1), .closed, .end(1), .add(2)]) {
            ($0.lines, $0.tidying) = ([one], .nothing)
        },
    ]

    @Test(arguments: rows)
    func itSaysWhatIsToBeDone(row: Row) {
        var machine = JournalMachine(leastEnded: 2)
        for event in row.events { machine.feed(event) }
        let text = String(decoding: machine.lines, as: UTF8.self)
        // Without their checksums.
        #expect(text.split(separator: "\n").map { String($0.dropFirst(9)) } == row.lines)
        #expect(machine.tidying == row.tidying)
        #expect(machine.isLong == row.isLong)
        #expect(machine.isDoubtful == row.isDoubtful)
        #expect(machine.isWhole == row.isWhole)
        let unsynced = machine.takeUnsynced()
        #expect(unsynced == row.unsynced)
    }

    @Test func linesThatCannotBeWrittenAreGivenUpWhenTheyAreMany() {
        var machine = JournalMachine(leastEnded: 2)
        var number: UInt64 = 0
        while !machine.mustWrite {
            number += 1
            machine.feed(.add(number))
        }
        machine.feed(.cannotWrite)
        #expect(machine.lines.isEmpty)
        // What was given up is missing for good: that the next lines are written changes nothing.
        machine.feed(.add(number + 1))
        machine.feed(.wrote(toNewFile: true))
        #expect(!machine.isWhole)
    }

    @Test func aLineThatNobodyWouldReadIsNotWritten() {
        var machine = JournalMachine(leastEnded: 2)
        var entry = JournalEntry(url: "http://host/1")
        entry["name"] = String(repeating: "a", count: JournalRecord.longestLine)
        let isNew = machine.add(1, entry)
        #expect(isNew && machine.lines.isEmpty)
    }
}

extension JournalMachine {
    fileprivate mutating func add(_ number: UInt64, _ entry: JournalEntry) -> Bool {
        add(number, entry.url, JournalRecord.Fields(entry))
    }

    fileprivate mutating func feed(_ event: JournalMachineTests.Event) {
        switch event {
        case .add(let number): _ = add(number, JournalEntry(url: "http://host/\(number)"))
        case .end(let number): _ = end(number)
        case .fail(let number):
            guard let failure = JournalFailure(code: "tls", message: "") else { return }
            _ = fail(number, JournalEntry(url: "http://host/\(number)"), failure)
        case .endFailures(let numbers): end(failures: Self.failures(of: numbers))
        case .wrote(let isNew):
            if isNew { madeFile() }
            wroteLines()
        case .cannotWrite: failedToWriteLines()
        case .takesSync: _ = takeUnsynced()
        case .cannotSync: failedToSync()
        case .removed: removedFile()
        case .replaced(let count, let void):
            beginReplacing(withRecords: count)
            replacedFile(without: Self.failures(of: void))
        case .closed: close()
        }
    }

    private static func failures(of numbers: [UInt64]) -> NumberSet {
        var set = NumberSet()
        for number in numbers { _ = set.insert(JournalRecord.failureNumber(of: number)) }
        return set
    }
}
