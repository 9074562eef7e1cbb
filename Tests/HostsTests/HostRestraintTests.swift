import SpateHTTPSyntax
import Testing

@testable import SpateHosts

@Suite struct HostRestraintTests {
    private final class Name {}
    private let names = [Name(), Name(), Name()]
    private var restraint = HostRestraint()

    /// Notes that an attempt was refused.
    ///
    /// - Parameters:
    ///   - began: when the attempt began; before everything if it is left out.
    ///   - isOfHost: false for a 503 that names no time.
    private mutating func refuse(
        _ download: Int,
        at now: Double,
        began: Double = 0,
        wait: Double? = nil,
        isOfHost: Bool = true,
        running: Int
    ) {
        restraint.note(
            HostRestraint.Refusal(host: .none, wait: wait.map { .seconds($0) }, isOfHost: isOfHost),
            of: ObjectIdentifier(names[download]),
            began: .seconds(began),
            running: running,
            now: .seconds(now)
        )
    }

    private func limit(at now: Double) -> Int? { restraint.limit(.seconds(now)) }

    @Test mutating func oneRefusalOfAURLChangesNothing() {
        refuse(0, at: 1, isOfHost: false, running: 8)
        #expect(limit(at: 1) == nil && !restraint.isQuiet(.seconds(1)))
        refuse(0, at: 2, began: 1.5, isOfHost: false, running: 8)
        refuse(0, at: 3, began: 2.5, isOfHost: false, running: 8)
        #expect(limit(at: 3) == nil && restraint.isOver(.seconds(13)))
    }

    @Test mutating func repeatedRefusalsHalveWhatRunsOnceForAllThatFailTogether() {
        for index in 0..<3 { refuse(index, at: 1, running: 8 - 2 * index) }
        #expect(limit(at: 1) == 3)
        refuse(0, at: 2, began: 1.5, running: 3)
        #expect(limit(at: 2) == 1)
        refuse(1, at: 3, began: 2.5, running: 1)
        #expect(limit(at: 3) == 1)
    }

    @Test mutating func refusalsOfSeveralURLsCountWithoutATimeToo() {
        refuse(0, at: 1, isOfHost: false, running: 8)
        refuse(1, at: 2, isOfHost: false, running: 8)
        #expect(limit(at: 2) == 4)
    }

    @Test mutating func tenQuietSecondsGiveOneBack() {
        refuse(0, at: 1, running: 6)
        refuse(1, at: 1, running: 6)
        #expect([10.9, 11, 20.9, 21, 30.9].map { limit(at: $0) } == [3, 4, 4, 5, 5])
        #expect(limit(at: 31) == nil && restraint.isOver(.seconds(31)))
        // What was given back stays so when another is refused.
        refuse(1, at: 25, began: 24, isOfHost: false, running: 5)
        #expect(limit(at: 26) == 5)
    }

    @Test mutating func theHostIsQuietForAsLongAsItAsks() {
        refuse(0, at: 1, wait: 60, running: 6)
        refuse(1, at: 2, wait: 5, running: 6)
        #expect(restraint.isQuiet(.seconds(60.9)) && !restraint.isQuiet(.seconds(61)))
        // The time that it asked for is no quiet time.
        #expect(limit(at: 61) == 3 && limit(at: 70.9) == 3 && limit(at: 71) == 4)
        #expect(restraint.nextChange(after: .seconds(2)) == .seconds(61))
        #expect(restraint.nextChange(after: .seconds(61)) == .seconds(71))
        #expect(restraint.nextChange(after: .seconds(91)) == nil)
    }

    @Test mutating func laterRefusalsAreNotRepeated() {
        refuse(0, at: 1, running: 8)
        refuse(1, at: 11, running: 8)
        #expect(limit(at: 11) == nil)
    }

    @Test mutating func aHelpersRefusalHalvesNothing() {
        restraint.noteWait(.init(host: .none, wait: .seconds(3), isOfHost: true), now: .seconds(1))
        #expect(restraint.isQuiet(.seconds(3.9)) && restraint.isOver(.seconds(4)) && limit(at: 2) == nil)
    }
}
