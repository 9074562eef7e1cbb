import Foundation
import Glibc
import SpateFilePaths
import SpateFileSystemCalls
import SpateLocking
import Testing

/// Folders that are made when needed.
@Suite final class NewFolderTests: Sendable {
    private let path: String
    /// The inodes of the folders that were synced.
    private let synced = Locked<[ino_t]>([])

    init() throws {
        path = NSTemporaryDirectory() + "new-folder-\(UUID().uuidString)"
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    }

    deinit {
        try? FileManager.default.removeItem(atPath: path)
    }

    private var platform: Platform {
        var platform = Platform.native
        // As on a disk.
        platform.volume = { _, _ in -1 }
        platform.sync = { [synced] descriptor in
            var status = stat()
            fstat(descriptor, &status)
            synced.withLock { $0.append(status.st_ino) }
            return 0
        }
        return platform
    }

    private func number(_ name: String) -> ino_t {
        var status = stat()
        stat(path + name, &status)
        return status.st_ino
    }

    /// Otherwise a power cut could take the folder, and what was reported as finished in it.
    @Test func theNamesOfNewFoldersAreSyncedBeforeThoseInThem() throws {
        let folder = try OpenFolder.make(path: "\(path)/a/b", on: platform)
        try folder.sync()
        #expect(synced.withLock { $0 } == [number(""), number("/a"), number("/a/b")])
        try folder.sync()
        try OpenFolder.make(path: "\(path)/a/b", on: platform).sync()
        #expect(synced.withLock { $0.suffix(2) } == [number("/a/b"), number("/a/b")])
        #expect(synced.withLock { $0.count } == 5)
    }

    @Test func aFailedSyncAboveIsAFailureAndIsRepeated() throws {
        let fails = Locked(true)
        var platform = platform
        platform.sync = { [sync = platform.sync] descriptor in
            if fails.withLock({ $0 }) {
                errno = EIO
                return -1
            }
            return sync(descriptor)
        }
        let folder = try OpenFolder.make(path: "\(path)/a", on: platform)
        #expect(throws: FileSystemError.self) { try folder.sync() }
        fails.withLock { $0 = false }
        try folder.sync()
        #expect(synced.withLock { $0 } == [number(""), number("/a")])
    }

    @Test func aFileInTheWayIsNamed() throws {
        #expect(FileManager.default.createFile(atPath: path + "/a", contents: nil))
        for name in ["/a", "/a/b", "/a/b/c"] {
            let error = #expect(throws: FileSystemError.self) {
                try OpenFolder.make(path: FilePath(self.path + name), on: .native)
            }
            #expect(error?.kind == .notFolder && error?.path == FilePath(path + "/a"), "\(name)")
        }
    }
}
