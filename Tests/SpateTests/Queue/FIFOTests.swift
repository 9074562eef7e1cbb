import SpateTestSupport
import Testing

@testable import Spate
@testable import SpateHosts

@Suite struct FIFOTests {
    @Test(arguments: 1...4 as ClosedRange<UInt64>)
    func itDoesWhatAnArrayDoes(seed: UInt64) {
        var random = SeededRandom(seed: seed)
        var queue = FIFO<Int>()
        var model: [(number: Int, value: Int)] = []
        for value in 0..<5_000 {
            switch random.below(5) {
            case 0, 1: model.append((queue.append(value), value))
            case 2 where !model.isEmpty:
                let index = random.below(model.count)
                queue.replace(model[index].number, with: value)
                model[index].value = value
            default:
                if let first = model.first { #expect(queue.firstNumber == first.number) }
                #expect(queue.popFirst() == (model.isEmpty ? nil : model.removeFirst().value))
            }
            #expect(queue.count == model.count && queue.isEmpty == model.isEmpty)
        }
        let numbers = model.map(\.number)
        #expect(zip(numbers, numbers.dropFirst()).allSatisfy { $0 + 1 == $1 })
        let odd = queue.removeAll { $0 % 2 == 1 }
        #expect(odd == model.map(\.value).filter { $0 % 2 == 1 })
        var rest: [Int] = []
        while let value = queue.popFirst() { rest.append(value) }
        #expect(rest == model.map(\.value).filter { $0 % 2 == 0 })
    }
}
