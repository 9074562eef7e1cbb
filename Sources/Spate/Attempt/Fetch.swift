import Foundation
import HTTPResumption
import HTTPTransport
import Locking
import PartialFiles

/// Fetches the bytes that a file lacks, over one connection at a time: sends a request, judges the response, writes its
/// body, and sends another request where that leads to one.
///
/// The transport calls it from one thread at a time.
final class Fetch: TransportSink {
    /// Why a fetch, and with it the attempt, ended without a complete file.
    struct Failure {
        var error: DownloadError
        /// How long the server asks to wait.
        var retryAfter: Duration?

        init(_ error: DownloadError, retryAfter: Duration? = nil) {
            self.error = error
            self.retryAfter = retryAfter
        }
    }

    let file: PartialFile
    private let attempt: Attempt
    private let state: Locked<FetchState>

    init(for attempt: Attempt, into file: PartialFile, history: ResumeHistory) {
        self.attempt = attempt
        self.file = file
        state = Locked(FetchState(attempt, file, history: history))
    }

    /// How much of the file is on disk.
    var reached: Int64 { state.withLock { $0.reached } }
    var history: ResumeHistory { state.withLock { $0.history } }
    var remarks: [DownloadRemark] { state.withLock { $0.remarks } }

    /// Sends the next request.
    func send() {
        let request = state.withLock { $0.nextRequest() }
        if !attempt.start(request, for: self) { attempt.end(self, nil) }
    }

    func receive(head: ResponseHead) -> BodyDisposition {
        let (disposition, start) = state.withLock { state in
            let disposition = state.receive(head)
            return (disposition, state.start)
        }
        if let start { attempt.download.attempt(attempt.number, receivesFrom: start.offset, total: start.total) }
        return disposition
    }

    func receive(bytes: UnsafeRawBufferPointer) -> Bool {
        let (goesOn, start, reached) = state.withLock { state in
            let goesOn = state.receive(bytes)
            return (goesOn, state.start, state.reached)
        }
        if !goesOn { return false }
        if let start { attempt.download.attempt(attempt.number, receivesFrom: start.offset, total: start.total) }
        attempt.wrote(file, through: reached)
        return true
    }

    func end(_ end: TransferEnd) {
        switch state.withLock({ $0.conclude(end) }) {
        case .send: send()
        case .publish(let size): attempt.publish(self, size: size)
        case .end(let failure): attempt.end(self, failure)
        }
    }

    /// The complete file has another checksum than the expected one. A file that was joined from several responses is
    /// worth one more fetch in one piece; that is another attempt's, since progress does not fall within one.
    func checksumDiffers(expected: Checksum, found: Checksum) -> Failure {
        state.withLock { state in
            var error = DownloadError.otherChecksum(found: found, expected: expected, url: attempt.request.url)
            error.isRetryable = state.dropJoinedFile()
            return Failure(error)
        }
    }
}
