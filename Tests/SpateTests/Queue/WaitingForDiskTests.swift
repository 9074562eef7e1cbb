import CSpateSystem
import Foundation
import SpateFileSystemCalls
import SpateHTTPTransport
import SpateTestSupport
import Testing

@testable import Spate

/// Files whose bytes have come, before a disk that does not get on with their syncs.
@Suite(.takesTurns) struct WaitingForDiskTests {
    private let folder: TemporaryFolder
    private let server: TestServer
    private let disk: Gate

    init() throws {
        (folder, disk) = (try TemporaryFolder(), try Gate())
        server = try TestServer { .file([1, 2, 3], for: $0) }
    }

    /// - Parameter blocksFiles: whether the syncs of files wait, or only those of folders.
    private func manager(slots: Int, blocksFiles: Bool = true) -> DownloadManager {
        var platform = Platform.native
        // On a file system in memory nothing is synced.
        platform.volume = { _, volume in
            volume.pointee = spate_volume(kind: UInt(EXT4_SUPER_MAGIC), available: 1 << 40)
            return 0
        }
        platform.sync = { [disk] descriptor in
            var status = stat()
            if blocksFiles || fstat(descriptor, &status) == 0 && status.st_mode & S_IFMT == S_IFDIR { disk.pass() }
            return fsync(descriptor)
        }
        var configuration = DownloadManager.Configuration(directory: folder.url)
        configuration.maxConcurrentDownloads = slots
        return DownloadManager(
            configuration: configuration,
            in: Surroundings(transport: CurlTransport.shared, platform: platform)
        )
    }

    @Test func theyHoldNoSlotAndCanBePaused() async throws {
        let manager = manager(slots: 1)
        let downloads = manager.download((0..<5).map { server.url("/f\($0)") })
        try await eventually("all wait for the disk") {
            downloads.allSatisfy { Standing($0) == .waitsForDisk } && manager.holdings.syncs == 5
        }
        #expect(manager.holdings.slots == 0 && manager.holdings.leases == 0)
        #expect(downloads.allSatisfy { $0.operation?.isExecuting == true && $0.progress.connectionCount == 0 })
        downloads[3].pause()
        #expect(Standing(downloads[3]) == .paused)
        disk.open()
        for download in downloads where download !== downloads[3] { _ = try await download.ended().get() }
        try await eventually("its attempt has ended") { manager.holdings == DownloadManager.Holdings() }
        #expect(Standing(downloads[3]) == .paused && !manager.isDownloaded(downloads[3].url))
        downloads[3].resume()
        let file = try await downloads[3].ended().get()
        #expect(try Data(contentsOf: file) == Data([1, 2, 3]))
        try await eventually("nothing is held") { manager.holdings == DownloadManager.Holdings() }
    }

    @Test func moreThanTheDiskQueueTakesHoldTheirSlots() async throws {
        let manager = manager(slots: 2)
        let downloads = manager.download((0..<DiskQueue.mostDescriptors + 5).map { server.url("/f\($0)") })
        try await disk.reached(times: DiskQueue.mostDescriptors + 2)
        #expect(manager.holdings.syncs == DiskQueue.mostDescriptors && manager.holdings.slots == 2)
        #expect(downloads.filter { Standing($0) == .waitsForSlot }.count == 3)
        // The limit is that of the slots, whatever waits for the disk.
        #expect(manager.maxConcurrentDownloads == 2)
        manager.maxConcurrentDownloads = 3
        try await disk.reached(times: DiskQueue.mostDescriptors + 3)
        #expect(manager.holdings.slots == 3)
        disk.open()
        for download in downloads { _ = try await download.ended().get() }
        try await eventually("nothing is held") { manager.holdings == DownloadManager.Holdings() }
    }

    @Test func theBytesOfTheDiskQueueAreBounded() {
        var queue = DiskQueue()
        let most = DiskQueue.mostBytes
        func load(_ bytes: Int64) -> DiskQueue.Load { DiskQueue.Load(unsyncedBytes: bytes, descriptors: 1) }
        let admitted = [most + 1, most - 1, 1, 1, 0].map { queue.enter(load($0)) }
        #expect(admitted == [false, true, true, false, true])
        queue.leave(load(1))
        let isAdmitted = queue.enter(load(1))
        #expect(isAdmitted && queue.descriptors == 3)
    }

    /// A hundred files, each in a folder of its own, before a disk that blocks.
    @Test(arguments: [true, false]) func filesInFoldersOfTheirOwnHoldFewDescriptors(blocksFiles: Bool) async throws {
        let manager = manager(slots: 2, blocksFiles: blocksFiles)
        let requests = (0..<100).map { number in
            var request = DownloadRequest(server.url("/d\(number)/f"))
            request.placement = .urlFolders(cutting: 0)
            return request
        }
        let downloads = manager.download(requests)
        let waiting = DiskQueue.mostDescriptors / 3
        try await disk.reached(times: waiting + 2)
        // Nothing more may come.
        try await Task.sleep(for: .milliseconds(100))
        #expect(manager.holdings.syncs == waiting && manager.holdings.slots == 2)
        #expect(downloads.count { Standing($0) == .waitsForDisk } == waiting + (blocksFiles ? 0 : 2))
        // The files, their folders, the folders above those, and the folders that were used last.
        let descriptors = try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").count { descriptor in
            let target = try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/\(descriptor)")
            return target?.hasPrefix(folder.url.path) ?? false
        }
        #expect(descriptors <= (waiting + 2) * 3 + DirectoryCache.limit, "\(descriptors)")
        disk.open()
        for download in downloads { _ = try await download.ended().get() }
        try await eventually("nothing is held") { manager.holdings == DownloadManager.Holdings() }
    }
}
