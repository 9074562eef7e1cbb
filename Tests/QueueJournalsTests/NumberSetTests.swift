import SpateQueueJournals
import Testing

@Suite struct NumberSetTests {
    @Test func numbersAreKeptInSets() {
        var numbers = NumberSet()
        var known: Set<UInt64> = []
        for step in 0..<2_000 as Range<UInt64> {
            let number = step &* 2_654_435_761 % 500 &+ (step % 3 == 0 ? .max - 600 : 0)
            if step % 2 == 0 {
                #expect(numbers.insert(number) == known.insert(number).inserted)
            } else {
                #expect(numbers.remove(number) == (known.remove(number) != nil))
            }
            #expect(numbers.count == known.count && numbers.contains(number) == known.contains(number))
        }
    }
}
