public import Foundation

extension DownloadManager {
    /// Checks the finished files in the manager's folder: their checksums or, if none is known, their sizes.
    ///
    ///     for await (file, result) in manager.verify() where result.isBad {
    ///         print("\(file.path): \(result.state)")
    ///     }
    ///
    /// A file's checksum is the one in the options, or the one that it was downloaded with: the request's, or else the
    /// digest that the server stated. Spate computed it while the file arrived, and keeps it with the file. A file
    /// without one is ``VerificationResult/State/sizeOnly``. Partial files are in the results, too, but are not read.
    ///
    /// The results come in the order of the names. The files are read a few at a time, and only as fast as the loop takes
    /// the results, so a folder may have any number of files. Nothing is changed, and no request is sent without
    /// ``VerificationOptions/onlineRequest``. Leaving the loop, or cancelling its task, stops it.
    ///
    /// To fetch a damaged or outdated file anew, download ``VerificationResult/repair``.
    ///
    /// If the folder cannot be read, that is the only result. A folder that does not exist holds nothing.
    public func verify(
        _ options: VerificationOptions = VerificationOptions()
    ) -> AsyncStream<(file: URL, result: VerificationResult)> {
        let verification = Subscription(Verification(of: self, options)) { $0.end() }
        return AsyncStream { await verification.reader.next() }
    }
}
