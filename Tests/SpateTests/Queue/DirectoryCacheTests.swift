import FileSystemCalls
import HTTPSyntax
import PartialFiles
import TestSupport
import Testing

@testable import Spate

@Suite struct DirectoryCacheTests {
    private let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
    }

    @Test func aFolderThatWasReadAsAWholeStaysAndOthersGo() throws {
        let cache = DirectoryCache(on: .native)
        let (read, unread) = (cache.directory(folder.path), cache.directory(folder.path("unread")))
        _ = try read.finishedFile(of: HTTPURL("http://host/f"))
        for number in 0..<40 { _ = cache.directory(folder.path("\(number)")) }
        #expect(cache.directory(folder.path) === read)
        #expect(cache.directory(folder.path("unread")) !== unread)
    }
}
