import SpateFilePaths
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
        let cache = DirectoryCache(own: FilePath(folder.path), on: .native)
        let (own, other) = (cache.directory(FilePath(folder.path)), cache.directory(FilePath(folder.path("other"))))
        for number in 0..<40 {
            let directory = cache.directory(FilePath(folder.path("\(number)")))
            // Also if they were read as a whole.
            _ = try directory.folder()
            _ = try directory.finalFile(of: HTTPURL("http://host/f"))
        }
        #expect(try folderDescriptorCount(below: folder.path) <= 16)
        #expect(cache.directory(FilePath(folder.path)) === own)
        #expect(cache.directory(FilePath(folder.path("other"))) !== other)
    }
}
