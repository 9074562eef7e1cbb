import Foundation
import SpateFilePaths
import SpateFileSystemCalls

@testable import Spate

extension MessageSample {
    static func ofFiles() -> [MessageSample] {
        FileSystemError.samples.map { MessageSample(DownloadError($0)) } + ofMovedFolders() + ofVerification()
    }

    private static func ofMovedFolders() -> [MessageSample] {
        let error = FileSystemError(.find, "/downloads", code: ESTALE)
        return [.folderMoved(error, "/archive/file.zip"), .folderMoved(error, nil)].map(MessageSample.init)
    }

    private static func ofVerification() -> [MessageSample] {
        let path = "/downloads/file.zip"
        let digests = [0, 0xFF].map { Checksum(.sha256, digest: [UInt8](repeating: $0, count: 32)) }
        return [
            .damaged(path, found: digests[0], digests[1]), .changed(path, 500, finished: 1000),
            .changed(path, 1000, finished: 1000), .missing(path), .leadsOut("../file.zip"),
        ]
        .map(MessageSample.init)
    }
}

extension FileSystemError {
    static let samples: [FileSystemError] = [
        FileSystemError(.write, "/downloads/file.zip.part", code: ENOSPC),
        FileSystemError(.lock, "/downloads/file.zip.part", code: EWOULDBLOCK),
        FileSystemError(.delete, "/downloads/file.zip.part", code: EWOULDBLOCK),
        FileSystemError(.rename, "/downloads/file.zip", code: EEXIST),
        FileSystemError(.delete, "/downloads/file.zip", code: ESTALE),
        FileSystemError(.open, "/downloads/file.zip.part", code: ELOOP),
        FileSystemError(.open, "/downloads/host/a", code: ENOTDIR),
        FileSystemError(.create, "/downloads/file.zip.part", code: EACCES),
        FileSystemError(.create, "/downloads/file.zip.part", code: EROFS),
        FileSystemError(.create, "/downloads/file.zip.part", code: ENAMETOOLONG),
        FileSystemError(.open, "/downloads", code: ENOENT),
        FileSystemError(.rename, "/downloads/file.zip.part", code: ESTALE),
        FileSystemError(.create, "/downloads/file.zip.part", code: EMFILE),
        FileSystemError(.sync, "/downloads/file.zip.part", code: EIO),
    ]
}
