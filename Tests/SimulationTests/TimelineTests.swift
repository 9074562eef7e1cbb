import Simulation
import Testing

struct TimelineTests {
    @Test func jobsComeInTheOrderOfTheirTime() {
        let timeline = Timeline(seed: 1)
        var seen: [Int] = []
        for number in [5, 3, 9, 1, 7, 2, 8] { timeline.after(.seconds(number)) { seen.append(number) } }
        while timeline.step() {}
        #expect(seen == [1, 2, 3, 5, 7, 8, 9] && timeline.now == .seconds(9))
    }

    @Test func chanceOrdersWhatIsDueTogether() {
        func order(_ seed: UInt64) -> [Int] {
            let timeline = Timeline(seed: seed)
            var seen: [Int] = []
            for number in 0..<10 { timeline.after(.zero) { seen.append(number) } }
            while timeline.step() {}
            return seen
        }
        #expect(order(1) == order(1) && order(1) != order(2))
        #expect(order(1).sorted() == Array(0..<10))
    }

    @Test func aKilledProcessDoesNothing() {
        let timeline = Timeline(seed: 1)
        let process = SimulatedProcess(100, on: timeline)
        var seen = 0
        timeline.after(.seconds(1), in: process) { seen += 1 }
        timeline.after(.seconds(2)) { process.kill() }
        timeline.after(.seconds(3), in: process) { seen += 1 }
        while timeline.step() {}
        #expect(seen == 1)
    }
}
