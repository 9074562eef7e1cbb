import Foundation
import SpateTestSupport
import Testing

@testable import SpateDemo

@Suite struct DemoContentTests {
    private let content = DemoContent(seed: 42, size: 100_003)

    @Test(arguments: [0..<0, 0..<1, 0..<8, 3..<5, 7..<9, 8..<24, 13..<100_003, 99_999..<100_003])
    func aRangeIsAPartOfTheWhole(range: Range<Int>) {
        let whole = content.bytes(0..<content.size)
        #expect(TestBytes.difference(content.bytes(range), from: Array(whole[range])) == nil)
    }

    /// The verdict about a file with these bytes.
    private func verdict(_ bytes: [UInt8], against content: DemoContent) throws -> DemoVerdict {
        let folder = try TemporaryFolder()
        try Data(bytes).write(to: folder.url("a"))
        return DemoVerdict(of: folder.url("a"), against: content)
    }

    @Test func onlyTheRightBytesAreRight() throws {
        // Longer than one read.
        let long = DemoContent(seed: 1, size: 2_500_001)
        #expect(try verdict(long.bytes(0..<long.size), against: long) == .right)
        for offset in [0, 1, 50_000, 100_002] {
            var bytes = content.bytes(0..<content.size)
            bytes[offset] ^= 1
            #expect(try verdict(bytes, against: content) == .differs(at: offset))
        }
        for size in [0, 100_002, 100_004] {
            let bytes = DemoContent(seed: 42, size: size).bytes(0..<size)
            #expect(try verdict(bytes, against: content) == .size(size))
        }
        #expect(DemoVerdict(of: try TemporaryFolder().url("a"), against: content) == .missing)
    }
}
