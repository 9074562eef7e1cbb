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

    @Test func theFirstDifferenceIsNamed() {
        let wanted = TestBytes.random(count: 10_000)
        var found = wanted
        found[9_000] ^= 1
        let place = "different from byte 9000 on (\(found[9_000]) in place of \(wanted[9_000]))"
        #expect(TestBytes.difference(found, from: wanted) == place)
        #expect(TestBytes.difference(found + [1], from: wanted) == place + ", with 10001 bytes in place of 10000")
        let shorter = "the same up to byte 0, with 0 bytes in place of 10000"
        #expect(TestBytes.difference([UInt8](), from: wanted) == shorter)
        #expect(TestBytes.difference([UInt8](), from: [UInt8]()) == nil)
    }
}
