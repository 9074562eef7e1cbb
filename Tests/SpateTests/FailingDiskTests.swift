import CSystem
import ExtendedAttributes
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

    /// A manager whose syncs of files fail from time to time, and which can then cut nothing off.
    private func managerThatLosesBytes(andMayRemoveNothing isFixed: Bool = false) -> DownloadManager {
        manager { [isFailing] platform in
            let (sync, resize, unlink) = (platform.sync, platform.resize, platform.unlink)
            platform.sync = { descriptor in
                errno = EIO
                return isFailing.withLock { $0 } ? -1 : sync(descriptor)
            }
            platform.resize = { descriptor, size in
                errno = EIO
                return isFailing.withLock { $0 } ? -1 : resize(descriptor, size)
            }
            platform.unlink = { folder, name in
                errno = EROFS
                return isFixed && isFailing.withLock { $0 } ? -1 : unlink(folder, name)
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

    /// Each file waits for its folder to be synced. It has given its slot back by then, so it does not run.
    @Test func whatWaitsForTheDiskDoesNotRun() async throws {
        let server = try TestServer { [bytes] in .file(bytes, for: $0) }
        let gate = DispatchSemaphore(value: 0)
        let manager = manager { platform in
            platform.sync = { descriptor in
                if Self.isFolder(descriptor) { gate.wait() }
                return fsync(descriptor)
            }
        }
        manager.maxConcurrentDownloads = 1
        let events = manager.events
        let downloads = manager.download(["/a", "/b"].map { server.url($0) })
        var words: [String] = []
        for await (download, event) in events {
            guard case .state(let state) = event, !state.description.hasSuffix("for a slot") else { continue }
            words.append("\(download.url.lastPathComponent) \(state)")
            if words.count(where: { $0.hasSuffix("for the disk") }) == 2 { break }
        }
        #expect(words == ["a running", "a waiting for the disk", "b running", "b waiting for the disk"])
        #expect(downloads.allSatisfy { $0.operation == nil && manager[$0.url] === $0 })
        downloads[0].cancel()
        for _ in 0..<100 { gate.signal() }
        for download in downloads { _ = try await download.ended().get() }
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

    @Test func bytesThatMayBeLostAndCannotBeCutOffAreNotKept() async throws {
        let gate = try Gate()
        let server = try TestServer { [bytes] in .file(bytes, for: $0).gated(after: 100_000, gate) }
        let manager = managerThatLosesBytes()
        let download = manager.download(server.url("/f"))
        for await case .progress in download.events { break }
        isFailing.withLock { $0 = true }
        gate.open()
        let error = try await download.ended().error
        #expect(error?.code == .fileSystem && error?.keptPartialFile == false)
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path).isEmpty)
    }

    /// Nor can the file be removed. Later all goes well: reading would find the bytes, and a sync would report success.
    @Test func bytesThatMayBeLostAndStayAreFetchedAgain() async throws {
        isFailing.withLock { $0 = true }
        let gate = try Gate()
        let server = try TestServer { [bytes] request in
            .file(bytes, etag: "\"v1\"", for: request).gated(after: 100_000, gate)
        }
        let manager = managerThatLosesBytes(andMayRemoveNothing: true)
        let download = manager.download(server.url("/f"))
        for await case .progress in download.events { break }
        gate.open()
        let error = try await download.ended().error
        #expect(error?.code == .fileSystem && error?.keptPartialFile == true)
        isFailing.withLock { $0 = false }
        let file = try await manager.download(server.url("/f")).ended().get()
        #expect(server.requests.map(\.range) == [nil, nil])
        #expect(TestBytes.difference(try Array(Data(contentsOf: file)), from: bytes) == nil)
    }

    /// The bytes are on the disk, but nothing may say so.
    private struct UnmarkedAttributes: FileAttributes {
        let own: any FileAttributes

        func text(of name: String) throws(ExtendedAttributeError) -> String? { try own.text(of: name) }
        func remove(_ name: String) throws(ExtendedAttributeError) { try own.remove(name) }

        func set(_ name: String, to text: String) throws(ExtendedAttributeError) {
            if name == "user.spate.durable", !text.hasPrefix("0 ") {
                throw ExtendedAttributeError(operation: .set, name: name, code: EIO)
            }
            try own.set(name, to: text)
        }
    }

    @Test func aMarkThatCannotBeWrittenEndsTheDownload() async throws {
        let (gate, end) = (try Gate(), try Gate())
        let server = try TestServer { [bytes] in
            .file(bytes, for: $0).gated(after: 50_000, gate).gated(after: 100_000, end)
        }
        let manager = manager { platform in
            let attributes = platform.attributes
            platform.attributes = { UnmarkedAttributes(own: attributes($0)) }
        }
        let download = manager.download(server.url("/f"))
        let events = download.events
        for await case .progress in events { break }
        // More bytes lead to a sync.
        gate.open()
        let error = try await download.ended().error
        end.open()
        #expect(error?.code == .fileSystem && error?.keptPartialFile == true)
    }
}
