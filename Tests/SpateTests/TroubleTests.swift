import CSpateSystem
import Foundation
import SpateExtendedAttributes
import SpateFilePaths
import SpateFileSystemCalls
import SpateHTTPTransport
import SpateLocking
import SpatePartialFiles
import SpateTestSupport
import Testing

@testable import Spate

/// While calls fail, nobody says that nothing is there, or that it was deleted. Afterwards everything still is.
@Suite(.takesTurns) struct TroubleTests: QueueFolder {
    /// The calls that fail.
    enum Call: CaseIterable {
        case open, readStatus, readAttribute
    }

    let folder: TemporaryFolder
    private let server: TestServer
    /// The error number of the failing calls; `nil` while they succeed.
    private let trouble = Locked<CInt?>(nil)

    init() throws {
        folder = try TemporaryFolder()
        server = try TestServer { .file([1, 2, 3], for: $0) }
    }

    private static func fails(_ trouble: Locked<CInt?>) -> Bool {
        guard let code = trouble.withLock({ $0 }) else { return false }
        errno = code
        return true
    }

    private func manager(failing call: Call) -> DownloadManager {
        var platform = Platform.native
        let trouble = trouble
        switch call {
        case .open:
            platform.open = { [open = platform.open] in Self.fails(trouble) ? -1 : open($0, $1, $2, $3) }
        case .readStatus:
            platform.status = { [status = platform.status] in Self.fails(trouble) ? -1 : status($0, $1) }
        case .readAttribute:
            platform.attributes = { FailingAttributes(real: ExtendedAttributes(descriptor: $0), trouble: trouble) }
        }
        return DownloadManager(
            configuration: DownloadManager.Configuration(directory: folder.url),
            in: Surroundings(transport: CurlTransport.shared, platform: platform)
        )
    }

    /// Leaves a partial file.
    private func leavePart(of url: URL) throws {
        let directory = DownloadDirectory(path: FilePath(folder.path))
        guard
            case .partial(let file) = try directory.open(
                FileClaim(try ValidRequest.url(url), in: FilePath(folder.path), naming: .derived),
                isOfDocument: false
            )
        else {
            throw SystemError("a partial file", number: EEXIST)
        }
        try file.begin(total: 9, validator: nil, encoding: nil)
        try [UInt8](repeating: 1, count: 4).withUnsafeBytes { bytes in _ = try file.write(bytes, at: 0) }
        file.close()
    }

    private var names: [String] {
        get throws { try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted() }
    }

    /// Two looks at one file may differ.
    @Test func descriptorsMayRunOutBetweenAnyTwoOpens() async throws {
        var request = DownloadRequest(server.url("/a/file"))
        request.placement = .urlFolders()
        _ = try await manager(failing: .open).download(request).ended().get()
        var found: Set<Bool> = []
        for count in 0..<40 {
            let left = Locked(count)
            var platform = Platform.native
            platform.open = { [open = platform.open] in
                let isLeft = left.withLock { left in
                    left -= 1
                    return left >= 0
                }
                if isLeft { return open($0, $1, $2, $3) }
                errno = EMFILE
                return -1
            }
            let manager = DownloadManager(
                configuration: DownloadManager.Configuration(directory: folder.url),
                in: Surroundings(transport: CurlTransport.shared, platform: platform)
            )
            found.insert(manager.isDownloaded(request.url))
            left.withLock { $0 = count }
            _ = manager.fileURL(for: request.url)
            found.insert(manager.isDownloaded(request))
        }
        #expect(found == [false, true])
    }

    @Test(arguments: Call.allCases, [EMFILE, ENFILE, ENOMEM, EIO, EACCES])
    func troubleIsNoAnswer(call: Call, code: CInt) async throws {
        let manager = manager(failing: call)
        let (plain, named) = (server.url("/plain"), DownloadRequest(server.url("/other"), fileName: "named"))
        let download = manager.download(plain)
        _ = try await download.ended().get()
        _ = try await manager.download(named).ended().get()
        try leavePart(of: server.url("/part"))
        try leave("/queued")
        let before = try names
        let elsewhere = DownloadRequest(plain, directory: folder.url("below"))

        trouble.withLock { $0 = code }
        let asked: [(String, () throws -> Void)] = [
            ("storedDownloads", { _ = try manager.storedDownloads() }),
            ("storedQueue", { _ = try manager.storedQueue() }),
            ("delete(URL)", { try manager.delete(named.url) }),
            ("delete([URL])", { if let error = manager.delete([named.url]).values.first { throw error } }),
            ("delete(DownloadRequest)", { try manager.delete(named) }),
            ("delete()", { try download.delete() }),
            ("deleteAll", { try manager.deleteAll() }),
        ]
        for (name, ask) in asked {
            let error = #expect(throws: DownloadError.self, "\(name)") { try ask() }
            #expect(error?.code == .fileSystem, "\(name)")
        }
        if call != .readAttribute {
            #expect(throws: DownloadError.self) { try manager.storedFailures() }
        }
        #expect(!manager.isDownloaded(plain) && !manager.isDownloaded(named))
        #expect(manager.fileURL(for: named).lastPathComponent == "named")
        #expect(manager.fileURL(for: elsewhere).path == folder.path("below/plain"))
        // What may not be read stays as it is; other trouble ends the restoration.
        #expect(manager.restore().isEmpty)
        if code != EACCES { #expect(manager.restoreFailure?.code == .fileSystem) }
        for await (_, result) in manager.verify() { #expect(result.state == .failed) }

        trouble.withLock { $0 = nil }
        // A queue needs no attributes: it was deleted with the whole folder, whose files were not.
        let after = call == .readAttribute ? before.filter { !$0.hasPrefix(".spate-queue-") } : before
        #expect(try names == after && manager.storedDownloads().count == 3)
        #expect(try manager.storedQueue().count == (call == .readAttribute ? 0 : 1))
        #expect(manager.isDownloaded(plain) && manager.isDownloaded(named.url))
        // The folder is known by now, and must be known as it is.
        try manager.delete(named.url)
        #expect(try names == after.filter { $0 != "named" })
        try manager.deleteAll()
        #expect(try names == [])
    }

    /// A failing attempt says so, and does not take the finished file for one that has gone.
    @Test func aFailingUpdateKeepsTheFinishedFile() async throws {
        let manager = manager(failing: .open)
        let url = server.url("/f")
        _ = try await manager.download(url).ended().get()
        var request = DownloadRequest(url)
        request.checksForUpdate = true
        trouble.withLock { $0 = EMFILE }
        let error = try await manager.download(request).ended().error
        #expect(error?.code == .fileSystem && error?.isRetryable == true)
        trouble.withLock { $0 = nil }
        #expect(try names == ["f"])
    }
}

/// The attributes of a file, which cannot be read for now.
private struct FailingAttributes: FileAttributes {
    let real: ExtendedAttributes
    let trouble: Locked<CInt?>

    private func check() throws(ErrorNumber) {
        guard let code = trouble.withLock({ $0 }) else { return }
        throw ErrorNumber(code: code)
    }

    func text(of name: String) throws(ErrorNumber) -> String? {
        try check()
        return try real.text(of: name)
    }

    func names() throws(ErrorNumber) -> [String] {
        try check()
        return try real.names()
    }

    func set(_ name: String, to text: String) throws(ErrorNumber) { try real.set(name, to: text) }

    func add(_ name: String, _ text: String) throws(ErrorNumber) -> Bool {
        try check()
        return try real.add(name, text)
    }

    func remove(_ name: String) throws(ErrorNumber) { try real.remove(name) }
}
