import PartialFiles
import Testing

@testable import Spate

/// What is written, synced, removed and written anew, row by row, without a disk.
@Suite struct JournalMachineTests {
    enum Event {
        case add(UInt64)
        case end(UInt64)
        /// The lines have been written, into a file that had to be made if there was none.
        case wrote(toNewFile: Bool = false)
        case cannotWrite
        case takesSync
        case cannotSync
        case removed
        case replaced(liveCount: Int)
        case closed
    }

    struct Row: CustomTestStringConvertible {
        let claim: String
        let events: [Event]
        var lines: [String] = []
        var tidying: JournalMachine.Tidying = .keep
        var unsynced: JournalMachine.Unsynced = .nothing
        var isLong = false
        var isWhole = true
        var isDoubtful = false

        var testDescription: String { claim }
    }

    static let rows = [
        Row(claim: "a new journal has nothing to do", events: [], tidying: .remove),
        Row(claim: "what is enqueued is a line", events: [.add(1)], lines: ["+ 1 http://host/1"]),
        Row(claim: "it is added once", events: [.add(1), .add(1)], lines: ["+ 1 http://host/1"]),
        Row(
            claim: "its end is a line, and nothing is left to do",
            events: [.add(1), .end(1)],
            lines: ["+ 1 http://host/1", "- 1"],
            tidying: .remove
        ),
        Row(claim: "an end of what was not added is none", events: [.add(1), .end(2)], lines: ["+ 1 http://host/1"]),
        Row(
            claim: "it ends once",
            events: [.add(1), .end(1), .end(1)],
            lines: ["+ 1 http://host/1", "- 1"],
            tidying: .remove
        ),
        Row(
            claim: "a new file is synced with its name",
            events: [.add(1), .wrote(toNewFile: true)],
            unsynced: .bytesAndName
        ),
        Row(
            claim: "a name that was not synced is not forgotten by the next write",
            events: [.add(1), .wrote(toNewFile: true), .add(2), .wrote()],
            unsynced: .bytesAndName
        ),
        Row(
            claim: "the next lines need no sync of the name",
            events: [.add(1), .wrote(toNewFile: true), .takesSync, .add(2), .wrote()],
            unsynced: .bytes
        ),
        Row(claim: "what was synced is not synced again", events: [.add(1), .wrote(toNewFile: true), .takesSync]),
        Row(
            claim: "a few lines that could not be written are tried again",
            events: [.add(1), .cannotWrite],
            lines: ["+ 1 http://host/1"]
        ),
        Row(
            claim: "after a failed sync a later one proves nothing",
            events: [.add(1), .wrote(toNewFile: true), .takesSync, .cannotSync, .add(2), .wrote(), .takesSync],
            isWhole: false,
            isDoubtful: true
        ),
        Row(
            claim: "a new file ends the doubt, and its name is synced",
            events: [.add(1), .wrote(toNewFile: true), .takesSync, .cannotSync, .replaced(liveCount: 1)],
            unsynced: .bytesAndName
        ),
        Row(
            claim: "a file of which most has ended is long",
            events: [.add(1), .add(2), .add(3), .end(1), .end(2), .wrote(toNewFile: true)],
            unsynced: .bytesAndName,
            isLong: true
        ),
        Row(
            claim: "it is not when it was written anew",
            events: [.add(1), .add(2), .add(3), .end(1), .end(2), .wrote(toNewFile: true), .replaced(liveCount: 1)],
            unsynced: .bytesAndName
        ),
        Row(
            claim: "a removed file has nothing to sync, and what was noted needs no line",
            events: [.add(1), .wrote(toNewFile: true), .end(1), .removed],
            tidying: .remove
        ),
        Row(
            claim: "after the close nothing is noted",
            events: [.add(1), .closed, .end(1), .add(2)],
            lines: ["+ 1 http://host/1"],
            tidying: .nothing
        ),
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
        entry.fileName = String(repeating: "a", count: JournalRecord.longestLine)
        let isNew = machine.add(1, entry)
        #expect(isNew && machine.lines.isEmpty)
    }
}

extension JournalMachine {
    fileprivate mutating func feed(_ event: JournalMachineTests.Event) {
        switch event {
        case .add(let number): _ = add(number, JournalEntry(url: "http://host/\(number)"))
        case .end(let number): _ = end(number)
        case .wrote(let isNew):
            if isNew { madeFile() }
            wroteLines()
        case .cannotWrite: failedToWriteLines()
        case .takesSync: _ = takeUnsynced()
        case .cannotSync: failedToSync()
        case .removed: removedFile()
        case .replaced(let count):
            beginReplacing(withRecords: count)
            replacedFile()
        case .closed: close()
        }
    }
}
