import Foundation
import TestSupport
import Testing

struct TemporaryFolderTests {
    @Test func aFolderGoesAwayWithNestedAndUnreadableThingsInIt() throws {
        var folder: TemporaryFolder? = try TemporaryFolder()
        let path = try #require(folder?.path)
        let hidden = path + "/a/b"
        try FileManager.default.createDirectory(atPath: hidden, withIntermediateDirectories: true)
        #expect(FileManager.default.createFile(atPath: hidden + "/c", contents: Data("x".utf8)))
        #expect(mkfifo(path + "/\u{e9}\n", 0o000) == 0)
        #expect(symlink("/", path + "/a/link") == 0)
        #expect(chmod(path + "/a", 0o000) == 0)
        folder = nil
        #expect(access(path, F_OK) != 0)
    }

    @Test func twoFoldersNeverShareAPath() throws {
        let first = try TemporaryFolder()
        let second = try TemporaryFolder()
        #expect(first.path != second.path)
    }

    @Test func contentIsTheSameForTheSameSeedAndNeverRepeats() {
        let content = TestBytes.random(count: 1_000_003, seed: 7)
        #expect(content == TestBytes.random(count: 1_000_003, seed: 7))
        #expect(content != TestBytes.random(count: 1_000_003, seed: 8))
        for shift in [1, 512, 4_096, 65_528, 65_536, 131_056] {
            #expect(content[shift...] != content[..<(content.count - shift)], "a shift by \(shift) shows")
        }
        #expect(TestBytes.random(count: 0).isEmpty)
        #expect(TestBytes.random(count: 3, seed: 1) == Array(TestBytes.random(count: 9, seed: 1)[..<3]))
    }
}
