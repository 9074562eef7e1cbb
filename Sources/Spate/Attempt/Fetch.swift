import Foundation
import HTTPResumption
import HTTPTransport
import Locking
import PartialFiles

/// Fetches the bytes that a file lacks, over one connection at a time: sends a request, judges the response, writes its
/// body, and sends another request where that leads to one. Others may help it; see ``ConnectionGroup``.
///
/// The transport calls it from one thread at a time.
final class Fetch: TransportSink {
    /// Why a fetch, and with it the attempt, ended without a complete file.
    struct Failure {
        var error: DownloadError
        /// How long the server asks to wait.
        var retryAfter: Duration?
        /// Set if the server is asked too much.
        var refusal: HostRestraint.Refusal?
        /// Whether it counts as a retry without progress, although bytes came: too few for so many requests.
        var isFutile = false

        init(_ error: DownloadError) {
            self.error = error
        }

        /// Whether the file cannot be written, by whatever connection.
        var isOfDisk: Bool { error.code == .diskFull || error.code == .fileSystem }
    }

    let file: PartialFile
    private let attempt: Attempt
    private let state: Locked<FetchState>

    init(for attempt: Attempt, into file: PartialFile, _ requests: FetchRequest, history: ResumeHistory) {
        self.attempt = attempt
        self.file = file
        state = Locked(FetchState(attempt, file, requests, history: history))
    }

    /// The requests of this attempt, for those who help.
    var requests: FetchRequest { state.withLock { $0.requests } }

    var history: ResumeHistory { state.withLock { $0.history } }
    var response: KeptResponse? { state.withLock { $0.response } }
    var remarks: [DownloadRemark] { state.withLock { $0.remarks } }

    /// Sends the next request.
    func send() {
        let (route, request) = state.withLock { ($0.route, $0.nextRequest()) }
        if !route.isRedirect, !attempt.takeRequest(for: file) {
            var failure = Failure(.tooManyRequests(for: route.shown))
            failure.isFutile = true
            return attempt.end(self, failure)
        }
        let host = route.address.origin
        if !attempt.mayConnect(to: host) { return attempt.end(self, waitingFor: host) }
        if !attempt.start(request, for: self) { attempt.end(self, nil) }
    }

    func receive(head: ResponseHead) -> BodyDisposition {
        let (disposition, step, duplicates, refusal) = state.withLock { state in
            (state.receive(head), Step(state), state.duplicates, state.refusal)
        }
        if let refusal { attempt.note(refusal) }
        if !duplicates.isEmpty { attempt.download.attempt(attempt.number, found: duplicates, total: step.total) }
        // A number that the user gave is opened at once; whether more help is seen when bytes have come.
        note(step, divides: attempt.connections != .automatic)
        return disposition
    }

    func receive(bytes: UnsafeRawBufferPointer, isLast: Bool) -> Bool {
        let (goesOn, step) = state.withLock { state in (state.receive(bytes, isLast: isLast), Step(state)) }
        if !goesOn { return false }
        note(step, divides: true)
        // What is compared is no progress: if it differs, the file starts over.
        if !step.isComparing { attempt.wrote(bytes.count, to: file) }
        return step.group?.wrote(0, through: step.position) ?? true || step.isWhole
    }

    func end(_ end: TransferEnd) {
        attempt.transferEnded(0)
        let (conclusion, group) = state.withLock { ($0.conclude(end), $0.group) }
        if let group { return group.firstEnded(conclusion) }
        follow(conclusion)
    }

    private func follow(_ conclusion: FetchState.Conclusion) {
        switch conclusion {
        case .send: send()
        case .publish(let size): attempt.publish(self, size: size)
        case .unchanged: attempt.keepFinished(self)
        // Only beside others is it theirs to decide.
        case .differs: beginAnew()
        case .end(let failure): attempt.end(self, failure)
        }
    }

    /// The bytes of several connections do not belong together. All have ended.
    func beginAnew() {
        follow(state.withLock { $0.beginAnew() })
    }

    /// All connections of its group have ended.
    func leaveGroup(hadHelp: Bool, staysAlone: Bool) {
        state.withLock { $0.leaveGroup(hadHelp: hadHelp, staysAlone: staysAlone) }
    }

    /// All connections have ended, and the file is not complete.
    func goOnAlone() {
        state.withLock { $0.goOnAlone() }
        send()
    }

    private struct Step {
        let hasStarted: Bool
        let total: Int64?
        let position: Int64
        let isWhole: Bool
        let isComparing: Bool
        let divisible: DivisibleFile?
        let stated: StatedDigest?
        let group: ConnectionGroup?

        // Borrowed: a copy of all that a fetch knows would cost more than these few values.
        init(_ state: borrowing FetchState) {
            hasStarted = state.hasStarted
            total = state.total
            position = state.position
            isWhole = state.isWhole
            isComparing = state.isComparing
            divisible = state.divisibleNow
            stated = state.stated
            group = state.group
        }
    }

    private func note(_ step: Step, divides: Bool) {
        if step.hasStarted {
            attempt.download.attempt(attempt.number, receivesFrom: file.filled.count, total: step.total)
            attempt.serverStates(step.stated, of: file)
        }
        guard divides, !attempt.isLimited, let divisible = step.divisible else { return }
        guard let group = ConnectionGroup(attempt, self, divisible, position: step.position) else {
            return state.withLock { $0.staysAlone() }
        }
        state.withLock { $0.join(group) }
        group.begin()
    }

    /// The complete file has another checksum than the expected one. It may be worth one more fetch in one piece; that is
    /// another attempt's, since progress does not fall within one.
    func checksumDiffers(_ expected: ExpectedChecksum, found: Checksum) -> Failure {
        state.withLock { state in
            var error = DownloadError.otherChecksum(found: found, expected, url: attempt.request.url)
            error.isRetryable = state.dropWrongFile(isStated: expected.field != nil)
            return Failure(error)
        }
    }
}
