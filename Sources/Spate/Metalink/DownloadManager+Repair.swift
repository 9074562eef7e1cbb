public import Foundation
import SpateFileSystemCalls
import SpateHTTPSyntax
import SpatePartialFiles

extension DownloadManager {
    /// Repairs a file: fetches only what is damaged or missing.
    ///
    ///     let file = try Metalink(Data(contentsOf: document)).files[0]
    ///     if let request = manager.request(for: file) { manager.repair(request) }
    ///
    /// Pieces that agree with ``DownloadRequest/metalink`` are kept, and the others are fetched. They are looked for in
    /// the finished file, even if another program made it, in its partial file, and in another file. The file stays as
    /// it is until the repaired one is complete and replaces it. If the file is right, no request is sent; if there is
    /// none, it is downloaded.
    ///
    /// Without checksums of pieces the file counts as a whole: by the request's ``DownloadRequest/checksum``, or the one
    /// that the file was downloaded with. If there is none, either, a file that was changed since it was finished is
    /// fetched anew, and with any other the download fails with ``DownloadError/Code/badChecksum``.
    ///
    /// On file systems that can (btrfs, XFS), the kept pieces take no further room.
    ///
    /// - Parameters:
    ///   - request: its ``DownloadRequest/replacesExistingFile`` does not matter.
    ///   - source: another file that may have right pieces, such as a copy, or an earlier version with the same layout.
    @discardableResult
    public func repair(_ request: DownloadRequest, from source: URL? = nil) -> Download {
        var request = request
        request.replacesExistingFile = true
        request.repair = DownloadRequest.Repair(source: source)
        if !request.isProvable { request.checksum = checksumOfFile(of: request) }
        return download(request)
    }

    /// The checksum that the file of a request was finished with.
    private func checksumOfFile(of request: DownloadRequest) -> Checksum? {
        guard let valid = try? ValidRequest(request, in: validConfiguration) else { return nil }
        let directory = directories.directory(valid.claim)
        // If the disk fails, the attempt says so.
        guard let file = (try? directory.finalFile(valid.claim)) ?? nil,
            case .final(let found)? = try? directory.find(file.name, wantsAny: false)
        else { return nil }
        return found.checksum(by: validConfiguration.digests)
    }
}
