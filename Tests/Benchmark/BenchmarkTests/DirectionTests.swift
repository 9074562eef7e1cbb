import Testing

@testable import line

@Suite struct DirectionTests {
    private static let millisecond: UInt64 = 1_000_000

    private func direction(loss: Double = 0, queueBytes: Int = 1 << 20, seed: UInt64 = 1) -> Direction {
        // A packet of 1,500 bytes takes a millisecond.
        Direction(
            delayNanoseconds: 25 * Self.millisecond,
            bitsPerSecond: 12e6,
            loss: loss,
            queueBytes: queueBytes,
            seed: seed
        )
    }

    @Test func aPacketArrivesWhenItWasSentAndTheDelayHasPassed() {
        var line = direction()
        #expect(line.send(bytes: 1_500, at: 7 * Self.millisecond) == .arrives(at: 33 * Self.millisecond))
    }

    @Test func packetsWaitUntilTheLineIsFree() {
        var line = direction()
        let arrivals = (0..<3).map { _ in line.send(bytes: 1_500, at: 0) }
        #expect(arrivals == [26, 27, 28].map { .arrives(at: $0 * Self.millisecond) })
        #expect(line.send(bytes: 1_500, at: 3 * Self.millisecond) == .arrives(at: 29 * Self.millisecond))
    }

    @Test func whatAFullQueueCannotHoldIsDropped() {
        var line = direction(queueBytes: 3_000)
        let fates = (0..<4).map { _ in line.send(bytes: 1_500, at: 0) }
        #expect(fates.map { $0 == .dropped } == [false, false, true, true])
        #expect(line.send(bytes: 1_500, at: 2 * Self.millisecond) != .dropped)
    }

    @Test func lossesAreOfTheShareThatIsToldAndTheSameForASeed() {
        func lost(seed: UInt64) -> [Int] {
            var line = direction(loss: 0.01, seed: seed)
            // As slow as the line, so that no queue is full.
            return (0..<100_000).filter { line.send(bytes: 1_500, at: UInt64($0) * Self.millisecond) == .lost }
        }
        let first = lost(seed: 1)
        #expect(first.count > 800 && first.count < 1_200)
        #expect(lost(seed: 1) == first && lost(seed: 2) != first)
        var clean = direction()
        #expect((0..<1_000).allSatisfy { clean.send(bytes: 1, at: UInt64($0) * Self.millisecond) != .lost })
    }
}
