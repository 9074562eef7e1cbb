import SpateTestSupport
import Testing

@testable import Spate
@testable import SpateHosts

@Suite struct FIFOTests {
    @Test(arguments: 1...4 as ClosedRange<UInt64>)
    func itDoesWhatAnArrayDoes(seed: UInt64) {
        var random = SeededRandom(seed: seed)
        var queue = FIFO<Int>()
        var model: [Int] = []
        for value in 0..<5_000 {
            if random.below(5) < 3 {
                queue.append(value)
                model.append(value)
            } else {
                #expect(queue.first == model.first)
                #expect(queue.popFirst() == (model.isEmpty ? nil : model.removeFirst()))
            }
            #expect(queue.count == model.count && queue.isEmpty == model.isEmpty)
        }
        let odd = queue.removeAll { $0 % 2 == 1 }
        #expect(odd == model.filter { $0 % 2 == 1 })
        var rest: [Int] = []
        while let value = queue.popFirst() { rest.append(value) }
        #expect(rest == model.filter { $0 % 2 == 0 })
    }
}
