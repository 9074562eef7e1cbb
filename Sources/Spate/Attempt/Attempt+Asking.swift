import SpateFileSystemCalls
import SpateLocking
import SpatePartialFiles

/// An attempt that only asks the server about a finished file: it goes the way of every request, and writes nothing.
extension Attempt {
    func ask() {
        do throws(FileSystemError) {
            guard let finished = try directory.finishedFile(request.claim) else {
                return finishedFileIsGone()
            }
            let file = try directory.closedFile(for: finished)
            control.withLock { ($0.finished, $0.asksForChange) = (finished, true) }
            opened(file, .none)
        } catch {
            fail(with: DownloadError(error))
        }
    }

    /// The answer would be about another file.
    func finishedFileIsGone() {
        fail(with: .isGone)
    }

    /// The server has answered.
    ///
    /// - Parameter isProven: whether it still has the file; otherwise it cannot tell.
    func answered(about finished: StoredFile, isProven: Bool) {
        let (response, update) = (control.withLock { $0.machine.response }, isProven ? DownloadUpdate.unchanged : nil)
        report(FinishedAttempt(path: finished.finalPath, size: finished.size, response: response, update: update))
        finish()
    }
}
