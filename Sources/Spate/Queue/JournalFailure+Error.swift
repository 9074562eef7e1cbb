import SpateHTTPSyntax
import SpateQueueJournals

extension JournalFailure {
    /// The stored part of an error.
    init?(_ error: DownloadError) {
        // The rest of that message is the program's own, and may have a secret.
        let isPrograms = error.code == .prepare
        self.init(
            code: error.code.rawValue,
            message: isPrograms ? "The request could not be prepared." : error.message,
            status: error.statusCode,
            isRetryable: error.isRetryable,
            keptPartialFile: error.keptPartialFile
        )
    }

    var error: DownloadError {
        DownloadError(
            DownloadError.Code(rawValue: code),
            message,
            isRetryable: isRetryable,
            keptPartialFile: keptPartialFile,
            statusCode: status
        )
    }
}
