import Foundation
import SpateExtendedAttributes
import SpateFilePaths
import SpateFileSystemCalls
import SpateLocking
import SpatePartialFiles
import SpateTestSupport
import Testing

/// Folders below a chosen one that were made for downloads.
@Suite struct PlacedFoldersTests {
    private let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
    }

    private func placed(_ path: String, _ platform: Platform = .native) -> DownloadDirectory {
        DownloadDirectory(
            path: FilePath(folder.path(path)),
            root: FolderRoot(FilePath(folder.path), isOfURLs: true),
            platform: platform
        )
    }

    private func found(_ platform: Platform = .native) throws -> [String] {
        var found: [String] = []
        try DownloadDirectory(path: FilePath(folder.path), platform: platform).forEachPlaced {
            found.append(String($0.path.text.dropFirst(folder.path.count + 1)))
        }
        return found.sorted()
    }

    @Test func theyAreFoundAtAnyDepthAndNoOthers() throws {
        for path in ["a/b/c", "a/b", "x", "a/d/e"] { _ = try placed(path).folder() }
        for path in ["mine/b", "a/mine"] {
            try FileManager.default.createDirectory(at: folder.url(path), withIntermediateDirectories: true)
        }
        // What was the user's before may hold downloads, too.
        try FileManager.default.createDirectory(at: folder.url("old/er"), withIntermediateDirectories: true)
        _ = try placed("old/er").folder()
        try FileManager.default.createSymbolicLink(at: folder.url("link"), withDestinationURL: folder.url("a"))
        #expect(try found() == ["a", "a/b", "a/b/c", "a/d", "a/d/e", "old", "old/er", "x"])
        // Nobody looks above a root.
        #expect(try DownloadDirectory(path: FilePath(folder.path("mine"))).contentsOfAll().isEmpty)
    }

    /// A process may end between two marks.
    @Test func aMarkIsNeverBelowAFolderWithoutOne() throws {
        let marks = Locked(0)
        for limit in 0..<3 {
            marks.withLock { $0 = 0 }
            var platform = Platform.native
            platform.attributes = { descriptor in
                CheckedAttributes(descriptor) { (name, _) throws(ErrorNumber) in
                    let count = marks.withLock { marks in
                        marks += 1
                        return marks
                    }
                    // As if the process were gone.
                    if count > limit { throw ErrorNumber(code: EIO) }
                }
            }
            platform.open = { _, _, _, _ in
                errno = EROFS
                return -1
            }
            _ = try? placed("\(limit)/b/c", platform).folder()
            #expect(
                try found().filter { $0.hasPrefix("\(limit)") }
                    == Array(["\(limit)", "\(limit)/b", "\(limit)/b/c"].prefix(limit))
            )
            _ = try placed("\(limit)/b/c").folder()
            #expect(try found().contains("\(limit)/b/c"))
        }
    }

    @Test func aFolderThatCannotBeReadDoesNotHideTheOthers() throws {
        for path in ["a/b", "c", "d/e"] { _ = try placed(path).folder() }
        var platform = Platform.native
        var broken = stat()
        #expect(stat(folder.path("c"), &broken) == 0)
        let number = broken.st_ino
        platform.list = { [list = platform.list] descriptor, body in
            var status = stat()
            if fstat(descriptor, &status) == 0, status.st_ino == number {
                errno = EIO
                return -1
            }
            return list(descriptor, body)
        }
        var names: [String] = []
        let error = #expect(throws: FileSystemError.self) {
            try DownloadDirectory(path: FilePath(folder.path), platform: platform).forEachPlaced {
                names.append($0.path.text)
            }
        }
        #expect(error?.code == EIO && error?.path.text == folder.path("c"))
        #expect(names.sorted() == ["a", "a/b", "c", "d", "d/e"].map(folder.path))
    }

    @Test func withoutAttributesAFileIsTheMark() throws {
        let platform = RecordKeeping.sidecar.platform { _ in }
        _ = try placed("a/b", platform).folder()
        #expect(try found(platform) == ["a", "a/b"])
        #expect(try placed("a/b", platform).contents().isEmpty)
    }

    @Test func oneIsOpenAtATime() throws {
        for number in 0..<200 { _ = try placed("h/\(number % 10)/\(number)").folder() }
        var (count, most) = (0, 0)
        try DownloadDirectory(path: FilePath(folder.path)).forEachPlaced { directory in
            count += 1
            most = max(most, (try? folderDescriptorCount(below: folder.path)) ?? .max)
        }
        #expect(count == 211 && most <= 4)
    }
}
