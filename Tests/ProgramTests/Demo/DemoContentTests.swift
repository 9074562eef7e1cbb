import Foundation
import TestSupport
import Testing

@testable import SpateProgram

@Suite struct DemoContentTests {
    private let content = DemoContent(seed: 42, size: 100_003)

    @Test(arguments: [0..<0, 0..<1, 0..<8, 3..<5, 7..<9, 8..<24, 13..<100_003, 99_999..<100_003])
    func aRangeIsAPartOfTheWhole(range: Range<Int>) {
        let whole = content.bytes(0..<content.size)
        #expect(TestBytes.difference(content.bytes(range), from: Array(whole[range])) == nil)
    }

    @Test func aFileWithTheRightBytesIsRight() throws {
        let folder = try TemporaryFolder()
        // Longer than one read.
        let content = DemoContent(seed: 1, size: 2_500_001)
        try Data(content.bytes(0..<content.size)).write(to: folder.url("a"))
        #expect(DemoVerdict(of: folder.url("a"), against: content) == .right)
    }

    @Test(arguments: [0, 1, 50_000, 100_002])
    func oneWrongByteIsFound(offset: Int) throws {
        let folder = try TemporaryFolder()
        var bytes = content.bytes(0..<content.size)
        bytes[offset] ^= 1
        try Data(bytes).write(to: folder.url("a"))
        #expect(DemoVerdict(of: folder.url("a"), against: content) == .differs(at: offset))
    }

    @Test(arguments: [0, 100_002, 100_004])
    func aWrongSizeIsFound(size: Int) throws {
        let folder = try TemporaryFolder()
        try Data(DemoContent(seed: 42, size: size).bytes(0..<size)).write(to: folder.url("a"))
        #expect(DemoVerdict(of: folder.url("a"), against: content) == .size(size))
    }

    @Test func aMissingFileIsFound() throws {
        let folder = try TemporaryFolder()
        #expect(DemoVerdict(of: folder.url("a"), against: content) == .missing)
    }
}
