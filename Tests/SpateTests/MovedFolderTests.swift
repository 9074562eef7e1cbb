import CSpateSystem
import Foundation
import SpateFileSystemCalls
import SpateHTTPTransport
import SpateLocking
import SpateTestSupport
import Testing

@testable import Spate

/// A folder that is moved while its downloads run: none of them says that its file is where nothing is.
@Suite(.takesTurns) struct MovedFolderTests {
    enum Move: CaseIterable {
        case renamed, replaced, parentRenamed, linkRetargeted, deleted
    }

    private let home: TemporaryFolder
    private let gate: Gate
    private let server: TestServer

    init() throws {
        home = try TemporaryFolder()
        gate = try Gate()
        server = try TestServer { [gate] request in
            if request.path.hasSuffix("held") { gate.pass() }
            return .file([1, 2, 3], for: request)
        }
    }

    private func manager(isInMemory: Bool, in folder: URL) -> DownloadManager {
        var platform = Platform.native
        // Whatever the file system of the test is.
        platform.volume = { _, volume in
            let kind = isInMemory ? UInt(TMPFS_MAGIC) : UInt(EXT4_SUPER_MAGIC)
            volume.pointee = spate_volume(kind: kind, available: 1 << 40)
            return 0
        }
        return DownloadManager(
            configuration: DownloadManager.Configuration(directory: folder),
            in: Surroundings(transport: CurlTransport.shared, platform: platform)
        )
    }

    /// - Returns: where the files are by then.
    private func perform(_ move: Move) throws -> URL? {
        let files = FileManager.default
        switch move {
        case .renamed:
            try files.moveItem(at: home.url("up/down"), to: home.url("moved"))
            return home.url("moved")
        case .replaced:
            try files.moveItem(at: home.url("up/down"), to: home.url("moved"))
            try files.createDirectory(at: home.url("up/down"), withIntermediateDirectories: false)
            return home.url("moved")
        case .parentRenamed:
            try files.moveItem(at: home.url("up"), to: home.url("elsewhere"))
            return home.url("elsewhere/down")
        case .linkRetargeted:
            try files.removeItem(at: home.url("link"))
            try files.createDirectory(at: home.url("other"), withIntermediateDirectories: false)
            try files.createSymbolicLink(at: home.url("link"), withDestinationURL: home.url("other"))
            return home.url("up/down")
        case .deleted:
            try files.removeItem(at: home.url("up/down"))
            return nil
        }
    }

    @Test(arguments: Move.allCases, [false, true])
    func aDownloadIntoAFolderThatMovedSaysWhereItsFileIs(move: Move, isInMemory: Bool) async throws {
        try FileManager.default.createDirectory(at: home.url("up/down"), withIntermediateDirectories: true)
        try FileManager.default.createSymbolicLink(at: home.url("link"), withDestinationURL: home.url("up/down"))
        let folder = move == .linkRetargeted ? home.url("link") : home.url("up/down")
        let manager = manager(isInMemory: isInMemory, in: folder)
        _ = try await manager.download(server.url("/first")).ended().get()
        let downloads = manager.download(["a.held", "b.held"].map { server.url("/" + $0) })
        // An attempt opens its file before it sends its request.
        try await gate.reached(times: 2)
        let place = try perform(move)
        gate.open()
        for download in downloads {
            let error = try #require(try await download.ended().error, "\(move)")
            // A file in a deleted folder gets no name at all.
            guard let place else { continue }
            let file = place.appending(path: download.url.lastPathComponent)
            #expect(error.code == .folderMoved && !error.isRetryable && error.message.contains(file.path), "\(error)")
            #expect(try Data(contentsOf: file) == Data([1, 2, 3]))
        }
        if move == .linkRetargeted { return }
        // Another request makes the folder again.
        let again = try await manager.download(server.url("/again")).ended().get()
        #expect(again == folder.appending(path: "again") && FileManager.default.fileExists(atPath: again.path))
    }
}
