import Foundation
import SpateTestSupport
import Testing

@testable import Spate

/// `é` as one scalar, and as `e` with an accent: two names for Linux, and equal as `String`s.
@Suite(.takesTurns) struct UnicodeFormsTests: QueueFolder {
    private static let forms = ["caf\u{E9}", "cafe\u{301}"]
    private let server: TestServer
    private let test: TestManager
    let folder: TemporaryFolder

    /// The server sends what it was asked for, so that each URL has its own bytes, all of one length.
    init() throws {
        server = try TestServer { .file(Self.content($0.path), etag: "\"v\"", for: $0) }
        folder = try TemporaryFolder()
        test = try TestManager(folder: folder)
    }

    private static func content(_ path: String) -> [UInt8] { Array(path.utf8.suffix(6)) }

    /// What the two URLs are, by what they have for a name, and where.
    enum Difference: CaseIterable {
        /// Each request has a folder.
        case folders
        /// The server's paths alone make the folders.
        case urlFolders
        /// Each request names its file.
        case names
        /// The server's paths name the files.
        case urlNames
    }

    /// Requests whose files may replace others, each with the path that its file must get.
    private func requests(_ difference: Difference) -> [(request: DownloadRequest, path: String)] {
        Self.forms.enumerated().map { index, form in
            let escaped = form.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? ""
            var request = DownloadRequest(server.url("/\(index)/file.bin"))
            request.replacesExistingFile = true
            switch difference {
            case .folders:
                request.directory = folder.url(form)
                return (request, "\(form)/file.bin")
            case .urlFolders:
                request.url = server.url("/\(escaped)/\(index).bin")
                request.fileName = "file.bin"
                request.placement = .urlFolders()
                return (request, "127.0.0.1:\(server.url("/").port ?? 0)/\(form)/file.bin")
            case .names:
                request.fileName = form
                return (request, form)
            case .urlNames:
                request.url = server.url("/\(index)/\(escaped)")
                request.replacesExistingFile = false
                return (request, form)
            }
        }
    }

    private func isSame(_ file: URL, _ path: String) -> Bool {
        file.path.utf8.elementsEqual(folder.path(path).utf8)
    }

    @Test(arguments: Difference.allCases, [false, true])
    func eachFileIsWhereItsRequestSays(difference: Difference, isSecondManager: Bool) async throws {
        let all = requests(difference)
        for (request, path) in all {
            #expect(isSame(test.manager.fileURL(for: request), path))
            #expect(isSame(try await test.manager.download(request).ended().get(), path))
        }
        let known = isSecondManager ? try TestManager(folder: folder).manager : test.manager
        for (request, path) in all {
            #expect(try test.bytes(path) == Self.content(request.url.path(percentEncoded: true)))
            #expect(known.isDownloaded(request))
            #expect(isSame(known.fileURL(for: request), path))
        }
        if difference == .names || difference == .urlNames {
            let listed = try known.storedDownloads().map(\.file.lastPathComponent)
            // Sorted by bytes.
            #expect(listed.map { Array($0.utf8) } == Self.forms.reversed().map { Array($0.utf8) })
        }
        for (request, _) in all {
            var plain = request
            plain.replacesExistingFile = false
            #expect(try await known.download(plain).ended().get() == known.fileURL(for: request))
        }
        #expect(server.requests.count == 2)
        try known.delete(all[0].request)
        #expect(!known.isDownloaded(all[0].request) && known.isDownloaded(all[1].request))
        #expect(!FileManager.default.fileExists(atPath: folder.path(all[0].path)))
        #expect(try test.bytes(all[1].path) == Self.content(all[1].request.url.path(percentEncoded: true)))
        try known.delete(all[1].request)
        #expect(!known.isDownloaded(all[1].request))
    }

    @Test(arguments: Difference.allCases)
    func aRestoredQueueKeepsThemApart(difference: Difference) throws {
        let all = requests(difference)
        try leave(all.map(\.request))
        let later = try manager()
        #expect(try later.manager.storedQueue().count == 2)
        let restored = later.manager.restore()
        #expect(restored.count == 2)
        for (download, (request, path)) in zip(restored, all) {
            #expect(download.url == request.url)
            #expect(isSame(later.manager.fileURL(for: download.request), path))
            #expect(isSame(later.manager.fileURL(for: request.url), path))
        }
    }

    /// A request that names another folder or file is another download.
    @Test(arguments: [Difference.folders, .names])
    func requestsForOneURLDiffer(difference: Difference) async throws {
        let all = requests(difference).map { request, _ in
            var request = request
            request.url = server.url("/one")
            return request
        }
        let first = test.manager.download(all[0])
        first.pause()
        let refused = test.manager.download(all[1])
        guard case .failed(let error) = refused.state else {
            Issue.record("\(refused.state)")
            return
        }
        #expect(error.code == .conflict)
    }

    /// A name that begins with a combining mark makes one Character with the slash or the dot before it.
    @Test func aMarkHidesNoSlashAndNoDot() async throws {
        let mark = "\u{301}"
        var request = DownloadRequest(server.url("/%CC%81a/%CC%81b.%CC%81c"))
        request.placement = .urlFolders()
        let file = try await test.manager.download(request).ended().get()
        let host = "127.0.0.1:\(server.url("/").port ?? 0)"
        #expect(isSame(file, "\(host)/\(mark)a/\(mark)b.\(mark)c"))
        #expect(test.manager.isDownloaded(request.url) && test.manager.fileURL(for: request.url) == file)
        var names: [String] = []
        var options = VerificationOptions()
        options.checksums = ["\(mark)d/\(mark)e": try Checksum(.md5, String(repeating: "0", count: 32))]
        try FileManager.default.createDirectory(at: folder.url("\(mark)d"), withIntermediateDirectories: true)
        try Data("abc".utf8).write(to: folder.url("\(mark)d/\(mark)e"))
        for await (file, result) in test.manager.verify(options) {
            names.append("\(result.state) \(file.lastPathComponent)")
        }
        #expect(names == ["sizeOnly \(mark)b.\(mark)c", "damaged \(mark)e"])
        try test.manager.delete(request.url)
        #expect(try test.manager.storedDownloads().isEmpty)
    }

    @Test func verifyingTellsThemApart() async throws {
        let right = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
        for (name, text) in zip(Self.forms, ["abc", "abd"]) { try Data(text.utf8).write(to: folder.url(name)) }
        for (index, name) in Self.forms.enumerated() {
            var options = VerificationOptions()
            options.checksums = [name: try Checksum(.sha256, right)]
            var results: [(URL, VerificationResult.State)] = []
            for await (file, result) in test.manager.verify(options) { results.append((file, result.state)) }
            #expect(results.count == 1 && isSame(results[0].0, name))
            #expect(results.first?.1 == (index == 0 ? .verified : .damaged))
        }
    }
}
