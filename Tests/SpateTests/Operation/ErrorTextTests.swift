import Foundation
import SpateFilePaths
import SpateFileSystemCalls
import Testing

@testable import Spate

/// What the page of messages does not show. That is compared in `DocumentationMessageTests`.
@Suite struct ErrorTextTests {
    @Test func noMessageHasTheQueryOrTheLoginOfAURL() throws {
        for sample in try MessageSample.all(at: "https://alice:sesame@host.test:8443/file.zip?signature=hidden") {
            let error = sample.error
            for secret in ["alice", "sesame", "hidden"] { #expect(!error.message.contains(secret), "\(error.message)") }
            #expect(error.description == error.message && error.localizedDescription == error.message)
        }
    }

    @Test(
        arguments: [
            (ENOSPC, .diskFull), (EDQUOT, .diskFull), (EFBIG, .diskFull), (EWOULDBLOCK, .inUse), (EBUSY, .inUse),
            (EEXIST, .fileExists), (ENOTEMPTY, .fileExists), (ELOOP, .fileSystem), (EISDIR, .fileSystem),
            (EACCES, .fileSystem), (EROFS, .fileSystem), (ENAMETOOLONG, .fileSystem), (ENOENT, .fileSystem),
            (ESTALE, .fileSystem), (EIO, .fileSystem), (0, .fileSystem), (-5, .fileSystem), (99_999, .fileSystem),
        ] as [(CInt, DownloadError.Code)]
    )
    func aFileSystemsRefusalIsASentenceThatNamesTheFile(number: CInt, code: DownloadError.Code) {
        let fault = FileSystemError(.write, "/downloads/file.zip.part", code: number)
        let error = DownloadError(fault)
        #expect(error.code == code && !error.isRetryable && error.underlying != nil)
        #expect(error.message.isSentence && error.message.contains("/downloads/file.zip.part"))
    }

    @Test func aRenameOntoAFolderMeansThatTheFileExists() {
        let error = DownloadError(FileSystemError(.rename, "/downloads/file.zip", code: EISDIR))
        #expect(error.code == .fileExists)
    }
}
