import TestSupport
import Testing

struct TestBytesTests {
    @Test func contentIsTheSameForTheSameSeedAndNeverRepeats() {
        let content = TestBytes.random(count: 1_000_003, seed: 7)
        #expect(TestBytes.difference(content, from: TestBytes.random(count: 1_000_003, seed: 7)) == nil)
        #expect(TestBytes.difference(content, from: TestBytes.random(count: 1_000_003, seed: 8)) != nil)
        for shift in [1, 512, 4_096, 65_528, 65_536, 131_056] {
            let (later, earlier) = (content[shift...], content[..<(content.count - shift)])
            #expect(TestBytes.difference(later, from: earlier) != nil, "a shift by \(shift) shows")
        }
        #expect(TestBytes.random(count: 0).isEmpty)
        #expect(TestBytes.random(count: 3) == Array(TestBytes.random(count: 9)[..<3]))
    }
}
