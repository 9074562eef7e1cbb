import Foundation
import Spate
import SpateHTTPSyntax

/// What requests for a URL say besides it. It stays the same: a request that differs is refused while the first has not
/// ended.
struct RequestHabits {
    enum Truth: CaseIterable {
        /// Nothing is said.
        case silent
        case right, wrong
    }

    var fileName: String?
    /// One path is wanted twice.
    let relativePath: String?
    let naming: DownloadNaming
    /// `nil` for the manager's.
    var folder: String?
    let placement: DownloadPlacement
    let checksum: Truth
    let algorithm: StatedDigest.Algorithm
    /// What a Metalink says about the pieces.
    let pieces: Truth
    let usesServerMetalink: Bool
    let expectedBytes: Truth
    let maximumBytes: Truth
    let skipsExistingFile: Bool
    let keepsServerTime: Bool?
    let allowsInsecureRedirects: Bool
    let maxBytesPerSecond: Int64?

    init(_ index: Int, _ traits: WorldTraits, _ timeline: Timeline) {
        let truths: [Truth] = [.silent, .right, .right, .right, .wrong]
        // One name is wanted twice, and one is what the first URL gives.
        let name: String? = timeline.pick([nil, "chosen\(index).bin", "chosen.bin", "file0.bin"])
        let folder: String? = timeline.pick([nil, World.otherFolder])
        let checks = [timeline.pick(truths), timeline.pick(truths), timeline.pick(truths)]
        algorithm = timeline.pick([.sha256, .sha256, .sha512, .sha1, .md5])
        let isOdd = timeline.onceIn(12)
        let keepsTime: Bool? = timeline.pick([nil, true, false])
        let insecure = timeline.onceIn(4)
        let rate: Int64? = timeline.pick([nil, 200_000, 2_000_000])
        fileName = traits.choosesPlaces ? name : nil
        let path = index % 2 == 0 ? "paths/file.bin" : "paths/\(index)/file.bin"
        relativePath = traits.choosesPlaces && index % 5 > 2 ? path : nil
        naming = traits.choosesPlaces && index % 3 > 0 ? .server : .url
        self.folder = traits.choosesPlaces ? folder : nil
        placement = traits.choosesPlaces && index % 4 > 1 ? .urlFolders() : .folder
        checksum = traits.hasChecksums ? checks[0] : .silent
        pieces = Truth.allCases[index % 3]
        usesServerMetalink = pieces == .silent
        expectedBytes = traits.hasSizes ? checks[1] : .silent
        maximumBytes = traits.hasSizes ? checks[2] : .silent
        skipsExistingFile = traits.choosesPlaces && isOdd
        keepsServerTime = traits.choosesPlaces ? keepsTime : nil
        allowsInsecureRedirects = insecure
        maxBytesPerSecond = traits.limitsRates ? rate : nil
    }
}

extension World {
    /// A request with nothing but who chose the URL.
    func bareRequest(for url: URL) -> DownloadRequest {
        var request = DownloadRequest(url)
        request.isChosenByDocument = documentURLs.contains(url)
        return request
    }

    func request(for url: URL) -> DownloadRequest {
        var request = bareRequest(for: url)
        if let secret = secret(of: url) { request.headers["Authorization"] = "Bearer \(secret)" }
        if timeline.onceIn(2) {
            request.mirrors = network.file(at: url.absoluteString)?.mirrors.compactMap { URL(string: $0.url) } ?? []
        }
        if timeline.onceIn(8) { request.priority = timeline.pick([.low, .high, .veryHigh]) }
        if timeline.onceIn(8) { request.connections = timeline.pick([.exactly(1), .exactly(3), .automatic]) }
        // Now and then somebody wants the same otherwise.
        let isPlain = timeline.onceIn(12)
        if !isPlain, let habits = habits[url] { add(habits, to: &request) }
        return request
    }

    private func add(_ habits: RequestHabits, to request: inout DownloadRequest) {
        request.fileName = habits.fileName
        request.relativePath = habits.relativePath
        request.naming = habits.naming
        request.placement = habits.placement
        request.directory = habits.folder.map { URL(fileURLWithPath: $0, isDirectory: true) }
        request.skipsExistingFile = habits.skipsExistingFile
        request.keepsServerTime = habits.keepsServerTime
        request.usesServerMetalink = habits.usesServerMetalink
        request.allowsInsecureRedirects = habits.allowsInsecureRedirects
        request.maxBytesPerSecond = habits.maxBytesPerSecond
        guard let content = network.present(request.url.absoluteString) else { return }
        request.checksum = checksum(of: content, habits)
        request.metalink = metalink(of: content, at: request.url, habits)
        let count = Int64(content.count)
        switch habits.expectedBytes {
        case .silent: break
        case .right: request.expectedBytes = count
        case .wrong: request.expectedBytes = count + 1
        }
        switch habits.maximumBytes {
        case .silent: break
        case .right: request.maximumBytes = count + 100
        case .wrong: request.maximumBytes = count / 2
        }
    }

    private func checksum(of content: SimulatedContent, _ habits: RequestHabits) -> Checksum? {
        if habits.checksum == .silent { return nil }
        var digest = content.digest(habits.algorithm)
        if habits.checksum == .wrong { digest[0] ^= 1 }
        guard let checksum = try? Checksum(habits.algorithm.checksum, digest.hexadecimal) else { return nil }
        if habits.checksum == .right { proven[checksum] = content }
        return checksum
    }

    /// A Metalink with checksums of pieces alone: that of the whole may differ. A wrong one is wrong about the first.
    private func metalink(of content: SimulatedContent, at url: URL, _ habits: RequestHabits) -> Metalink.File? {
        if habits.pieces == .silent || content.count == 0 { return nil }
        let (length, pieces) = content.piecesText(wrong: habits.pieces == .wrong)
        let text =
            "<metalink xmlns=\"urn:ietf:params:xml:ns:metalink\"><file name=\"f\"><size>\(content.count)</size>"
            + "\(pieces)</file></metalink>"
        guard let file = try? Metalink(Data(text.utf8)).files.first, file.pieceLength == Int64(length) else {
            preconditionFailure("the Metalink of a world is not understood")
        }
        if habits.pieces == .right { provenByPieces[url, default: []].append(content) }
        return file
    }

    /// Where the file of a URL goes, if nothing else has the name.
    func place(of url: URL) -> String {
        let habits = habits[url]
        if let path = habits?.relativePath { return (habits?.folder ?? Self.folder) + "/" + path }
        let folder = (habits?.folder ?? Self.folder) + (habits?.placement == .urlFolders() ? "/\(url.host ?? "")" : "")
        return folder + "/" + (habits?.fileName ?? url.lastPathComponent)
    }
}
