import Foundation
import SpateFilePaths
import SpateHTTPResumption
import SpateHTTPSyntax
import SpatePartialFiles
import SpateQueueJournals

extension JournalEntry {
    /// The stored part of a request. Uses the validated URLs, without user and password.
    ///
    /// - Parameter ownFolder: the journal's folder, which is not stored.
    init(_ request: borrowing DownloadRequest, _ valid: ValidRequest, ownFolder: FilePath) {
        let connections: Int? =
            switch request.connections {
            case .automatic: 0
            case .exactly(let count): max(1, count)
            case nil: nil
            }
        self.init(
            url: valid.url.text,
            fileName: request.options.fileName,
            naming: Naming(request.naming),
            folder: valid.claim.chosenFolder(besides: ownFolder),
            cutURLFolders: request.placement.cutCount,
            priority: request.priority.rawValue,
            expectedBytes: request.expectedBytes,
            maximumBytes: request.maximumBytes,
            checksum: request.checksum?.description,
            pieces: request.metalink?.storedPieces,
            mirrors: valid.mirrors.map(\.text),
            connections: connections,
            replacesExistingFile: request.replacesExistingFile,
            allowsInsecureRedirects: request.allowsInsecureRedirects,
            checksForUpdate: request.checksForUpdate,
            skipsExistingFile: request.skipsExistingFile,
            repairs: request.repair != nil,
            keepsServerTime: request.keepsServerTime,
            usesServerMetalink: request.usesServerMetalink,
            isChosenByDocument: request.isChosenByDocument,
            maxBytesPerSecond: request.maxBytesPerSecond
        )
    }

    /// The request; `nil` if this version cannot check its checksum.
    var request: DownloadRequest? {
        guard let url = URL(string: url) else { return nil }
        var request = DownloadRequest(url)
        request.fileName = fileName?.text
        request.naming = downloadNaming
        if let cutURLFolders { request.placement = .urlFolders(cutting: cutURLFolders) }
        request.directory = folder.map { URL(fileURLWithPath: $0.text, isDirectory: true) }
        request.priority = Operation.QueuePriority(rawValue: priority) ?? .normal
        request.expectedBytes = expectedBytes
        request.maximumBytes = maximumBytes
        if let checksum {
            guard let known = try? Checksum(checksum) else { return nil }
            request.checksum = known
        }
        if let pieces {
            guard let file = Metalink.File(storedPieces: pieces, of: request) else { return nil }
            request.metalink = file
        }
        request.mirrors = mirrors.compactMap { URL(string: $0) }
        request.connections = connections.map { $0 > 0 ? .exactly($0) : .automatic }
        request.replacesExistingFile = replacesExistingFile
        request.allowsInsecureRedirects = allowsInsecureRedirects
        request.checksForUpdate = checksForUpdate
        request.skipsExistingFile = skipsExistingFile
        // What another file had is in the partial file, or is fetched.
        request.repair = repairs ? DownloadRequest.Repair() : nil
        request.keepsServerTime = keepsServerTime
        request.usesServerMetalink = usesServerMetalink
        request.isChosenByDocument = isChosenByDocument
        request.maxBytesPerSecond = maxBytesPerSecond
        return request
    }

    /// The claim of its request, of this URL.
    func claim(of url: HTTPURL, ownFolder: FilePath) -> FileClaim {
        let placement = cutURLFolders.map { DownloadPlacement.urlFolders(cutting: $0) } ?? .folder
        return FileClaim(url, placed: placement, in: folder ?? ownFolder, naming: fileNaming(of: url))
    }

    private var downloadNaming: DownloadNaming {
        switch naming {
        case nil: .url
        case .server: .server
        case .automatic: .automatic
        }
    }

    /// How its file, of this URL, is named.
    private func fileNaming(of url: HTTPURL) -> FileNaming {
        if let name = fileName.flatMap({ try? FileName(explicit: $0.text) }) { return .explicit(name) }
        return downloadNaming.takesServersName(for: url) ? .stated : .derived
    }
}

extension JournalEntry.Naming {
    init?(_ naming: DownloadNaming) {
        switch naming {
        case .url: return nil
        case .server: self = .server
        case .automatic: self = .automatic
        }
    }
}
