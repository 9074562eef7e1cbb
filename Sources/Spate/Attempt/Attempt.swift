import Foundation
import HTTPResumption
import HTTPTransport
import Locking
import PartialFiles

/// One attempt: from what is on disk to a question, from the response to a decision, from bytes to a file in place.
///
/// One response may lead to another question (a redirect, a file that has changed); the attempt ends when the file is
/// in place, or when nothing more can be done at once. Its steps follow each other on the operation's thread, the
/// transport's and the disk queue's; only ``cancel()`` may come at any time.
final class Attempt: AttemptRun, Sendable {
    let id: DownloadMachine.AttemptID
    let job: AttemptJob
    let observer: any AttemptObserver
    private let finish: @Sendable () -> Void
    let course: Locked<AttemptCourse>
    private let control = Locked(Control())

    private struct Control {
        var isCancelled = false
        /// How many have been asked, so that the latest is known.
        var questions = 0
        var transfer: (any Transfer)?
    }

    /// - Parameter finish: called once, when everything has been told and the file has been let go of.
    init(
        id: DownloadMachine.AttemptID,
        job: AttemptJob,
        history: ResumeHistory,
        observer: any AttemptObserver,
        finish: @escaping @Sendable () -> Void
    ) {
        self.id = id
        self.job = job
        self.observer = observer
        self.finish = finish
        self.course = Locked(AttemptCourse(url: job.url, history: history))
    }

    func begin() {
        do {
            switch try job.openPlace() {
            case .finished(let result):
                settle(with: result)
            case .partial(let file):
                let question = try course.withLock { course throws(FileSystemError) in try course.open(file) }
                ask(question)
            }
        } catch {
            end(.failed(DownloadError(opening: error)))
        }
    }

    func cancel() {
        let transfer = control.withLock { control in
            control.isCancelled = true
            return control.transfer
        }
        transfer?.cancel()
    }

    var isCancelled: Bool { control.withLock { $0.isCancelled } }

    /// Asks at the address where the redirects have led.
    func ask(_ question: RangeRequest) {
        guard !isCancelled else { return end(End.stopped) }
        let address = course.withLock { $0.ask(question) }
        let number = control.withLock { control in
            control.questions += 1
            return control.questions
        }
        let transfer = job.transport.start(job.transportRequest(question, at: address), sink: self)
        let isTooLate = control.withLock { control in
            // The transfer may have ended by now, on its own thread, and led to the next question: then that one's is
            // the transfer to cancel.
            guard control.questions == number else { return false }
            control.transfer = transfer
            return control.isCancelled
        }
        if isTooLate { transfer.cancel() }
    }

    // MARK: The end

    enum End {
        case failed(DownloadError, retryAfter: Duration? = nil)
        case stopped
    }

    private func settle(with result: AttemptResult) {
        do {
            _ = try observer.attempt(id) { result }
            finish()
        } catch {
            end(.failed(DownloadError(opening: error)))
        }
    }

    /// Ends without a file in place.
    func end(_ end: End) {
        // A file that is being brought to the medium is closed after that, for its descriptor must not become another
        // file's meanwhile.
        let isFlushing = course.withLock { $0.postpone(.end(end)) }
        guard !isFlushing else { return }
        let (reached, history) = course.withLock { course in
            (course.close(deleting: observer.isDeleted), course.history)
        }
        if case .failed(var error, let retryAfter) = end {
            error.keptPartialFile = reached > 0
            observer.attempt(
                id,
                endedWith: AttemptFailure(error: error, reached: reached, retryAfter: retryAfter),
                history: history
            )
        }
        finish()
    }

    /// The file is complete and in the partial file: checks it, brings it to the medium, puts it in place.
    func publish(size: Int64) {
        // Of a flush and this one's own, the medium tells one alone that bytes were lost; and a flush that fails cuts
        // the file, which must not be in its place by then.
        guard !course.withLock({ $0.postpone(.publish(size: size)) }) else { return }
        guard let file = course.withLock({ $0.file }) else { return end(End.stopped) }
        // To hand over to another thread costs more than what is to be done, where that is not long.
        if file.isInMemory, job.request.sha256 == nil { return publish(file, size: size) }
        job.disk.async { [self] in publish(file, size: size) }
    }

    private func publish(_ file: PartialFile, size: Int64) {
        do {
            if let expected = job.request.sha256 {
                let found = try SHA256.hexadecimal(of: file, size: size)
                guard found == expected.lowercased() else { return checksumDiffers(expected: expected, found: found) }
            }
            try file.prepareToPublish(size: size)
            let remarks = course.withLock { $0.remarks }
            let published = try observer.attempt(id) {
                let path = try file.publish(replacing: job.request.replacesExistingFile)
                return AttemptResult(file: URL(fileURLWithPath: path, isDirectory: false), size: size, remarks: remarks)
            }
            guard published != nil else { return end(End.stopped) }
            course.withLock { $0.letGo() }
            finish()
        } catch {
            end(.failed(DownloadError(writing: error)))
        }
    }

    private func checksumDiffers(expected: String, found: String) {
        // What was joined from several responses is worth one fetch in a single piece; what came in one is not. It is
        // another attempt's, for within one the progress does not fall.
        let startsOver = course.withLock { course in
            let startsOver = course.wasJoined && course.startOver(because: .otherChecksum)
            if !startsOver { course.drop() }
            return startsOver
        }
        var error = DownloadError.otherChecksum(found: found, expected: expected.lowercased(), url: job.url)
        error.isRetryable = startsOver
        end(.failed(error))
    }

    /// Brings what has been written to the medium, beside the transfer.
    func flush() {
        job.disk.async { [self] in
            guard let (file, offset) = course.withLock({ $0.flushTarget }) else { return }
            let result = Result { () throws(FileSystemError) in try file.sync(through: offset) }
            let postponed = course.withLock { $0.flushed(result) }
            if case .failure = result { cancelTransfer() }
            if let postponed { follow(postponed) }
        }
    }

    private func cancelTransfer() {
        control.withLock { $0.transfer }?.cancel()
    }
}
