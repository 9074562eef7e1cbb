import CSystem
import Foundation
import HTTPTransport
import Locking
import PartialFiles
import TestSupport
import Testing

@testable import Spate

/// Disks that fail in the middle of a download.
@Suite(.takesTurns) struct FailingDiskTests {
    private let folder: TemporaryFolder
    private let bytes = TestBytes.random(count: 200_000)
    private let isFailing = Locked(false)

    init() throws {
        folder = try TemporaryFolder()
    }

    private func manager(_ change: (inout Platform) -> Void) -> DownloadManager {
        var configuration = DownloadManager.Configuration(directory: folder.url)
        configuration.syncInterval = .zero
        configuration.retry = .never
        var platform = Platform.native
        // On a file system in memory nothing is synced.
        platform.volume = { _, volume in
            volume.pointee = spate_volume(kind: UInt(EXT4_SUPER_MAGIC), available: 1 << 40)
            return 0
        }
        change(&platform)
        return DownloadManager(
            configuration: configuration,
            in: Surroundings(transport: CurlTransport.shared, platform: platform)
        )
    }

    private static func isFolder(_ descriptor: CInt) -> Bool {
        var status = stat()
        return fstat(descriptor, &status) == 0 && status.st_mode & S_IFMT == S_IFDIR
    }

    /// A manager whose syncs of folders fail from time to time.
    private func managerThatLosesNames() -> DownloadManager {
        manager { platform in
            platform.sync = { [isFailing] descriptor in
                if Self.isFolder(descriptor), isFailing.withLock({ $0 }) {
                    errno = EIO
                    return -1
                }
                return fsync(descriptor)
            }
        }
    }

    @Test func aFileWhoseNameMayBeLostIsNotFinished() async throws {
        let server = try TestServer { [bytes] in .file(bytes, for: $0) }
        let manager = managerThatLosesNames()
        isFailing.withLock { $0 = true }
        let error = try await manager.download(server.url("/f")).ended().error
        #expect(error?.code == .fileSystem && error?.message.contains("sync") == true)
        // It is found, and its name can still not be synced.
        #expect(try await managerThatLosesNames().download(server.url("/f")).ended().error?.code == .fileSystem)
        isFailing.withLock { $0 = false }
        let file = try await managerThatLosesNames().download(server.url("/f")).ended().get()
        #expect(try [UInt8](Data(contentsOf: file)) == bytes && server.requests.count == 1)
    }

    @Test func aFileSystemThatSyncsNoFoldersIsNoFailure() async throws {
        let server = try TestServer { [bytes] in .file(bytes, for: $0) }
        let manager = manager { platform in
            platform.sync = { descriptor in
                if !Self.isFolder(descriptor) { return fsync(descriptor) }
                errno = EINVAL
                return -1
            }
        }
        _ = try await manager.download(server.url("/f")).ended().get()
    }
}
