import SpateFileSystemCalls
import SpateHTTPSyntax
import SpatePartialFiles
import SpateTestSupport
import Testing

@testable import Spate

@Suite struct DirectoryCacheTests {
    private let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
    }

    @Test func theOwnFolderStaysAndOthersGo() throws {
        let cache = DirectoryCache(own: folder.path, on: .native)
        let (own, other) = (cache.directory(folder.path), cache.directory(folder.path("other")))
        for number in 0..<40 {
            let directory = cache.directory(folder.path("\(number)"))
            // Also if they were read as a whole.
            _ = try directory.folder()
            _ = try directory.finishedFile(of: HTTPURL("http://host/f"))
        }
        #expect(try folderDescriptorCount(below: folder.path) <= 16)
        #expect(cache.directory(folder.path) === own)
        #expect(cache.directory(folder.path("other")) !== other)
    }
}
