import CSpateSystem
import Foundation
import SpateFileSystemCalls
import SpateHTTPTransport
import SpateTestSupport
import Testing

@testable import Spate

/// What a real disk may refuse. Disks that fail are in the simulation.
@Suite(.takesTurns) struct FailingDiskTests {
    @Test func aFileSystemThatSyncsNoFoldersIsNoFailure() async throws {
        let server = try TestServer { .file([1, 2, 3], for: $0) }
        let folder = try TemporaryFolder()
        var platform = Platform.native
        // On a file system in memory nothing is synced.
        platform.volume = { _, volume in
            volume.pointee = spate_volume(kind: UInt(EXT4_SUPER_MAGIC), available: 1 << 40)
            return 0
        }
        platform.sync = { descriptor in
            var status = stat()
            guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFDIR else { return fsync(descriptor) }
            errno = EINVAL
            return -1
        }
        let manager = DownloadManager(
            configuration: DownloadManager.Configuration(directory: folder.url),
            in: Surroundings(transport: CurlTransport.shared, platform: platform)
        )
        _ = try await manager.download(server.url("/f")).ended().get()
    }
}
