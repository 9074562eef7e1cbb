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
}
