import Foundation
import HTTPResumption
import HTTPTransport
import Locking
import PartialFiles

extension Attempt: TransportSink {
    func receive(head: ResponseHead) -> BodyDisposition {
        let (disposition, start) = course.withLock { course -> (BodyDisposition, AcceptedBody?) in
            do throws(FileSystemError) {
                let disposition = try course.judge(head, for: job)
                guard case .write(let writer) = course.next, writer.placement.comparing == 0 else {
                    return (disposition, nil)
                }
                return (disposition, writer.placement)
            } catch {
                course.next = .fail(DownloadError(writing: error))
                return (.stop, nil)
            }
        }
        // Where bytes are compared first, nothing is certain yet: that response may still start over.
        if let start { observer.attempt(id, beganAt: start.offset, total: start.total) }
        return disposition
    }

    func receive(bytes: UnsafeRawBufferPointer) -> Bool {
        let now = ContinuousClock.now
        let step = course.withLock { $0.take(bytes, flushInterval: job.configuration.syncInterval, now: now) }
        guard let step else { return false }
        if let start = step.start { observer.attempt(id, beganAt: start, total: step.total) }
        if let reached = step.reached { observer.attempt(id, advancedTo: reached) }
        if step.flushIsDue { flush() }
        return true
    }

    func end(_ end: TransferEnd) {
        follow(course.withLock { $0.conclude(end, url: job.url) })
    }

    /// Does what follows a transfer.
    func follow(_ conclusion: AttemptCourse.Conclusion) {
        switch conclusion {
        case .ask(let question): ask(question)
        case .publish(let size): publish(size: size)
        case .end(let end): self.end(end)
        }
    }
}

extension AttemptCourse {
    // MARK: The head

    /// Decides what the response is good for.
    mutating func judge(_ head: ResponseHead, for job: AttemptJob) throws(FileSystemError) -> BodyDisposition {
        // A flush failed after the question was asked: the file has been cut, and this answer goes on elsewhere.
        if flushing.failure != nil { return .stop }
        if RedirectPolicy.isRedirect(head.status) {
            let policy = RedirectPolicy(allowsInsecure: job.request.allowsInsecureRedirects)
            switch policy.decide(head: head, at: address, after: earlier) {
            case .follow(let target): follow(target)
            case .refuse(let fault): next = .fail(DownloadError(fault, status: head.status, url: address))
            }
            return .discard
        }
        let limits = ResponseLimits(
            expectedBytes: job.request.expectedBytes,
            maximumBytes: job.request.maximumBytes,
            longestWait: job.configuration.retry.maximumRetryAfter.components.seconds
        )
        let decision = ResumeDecision.decide(
            held: held,
            request: question,
            head: head,
            history: history,
            limits: limits,
            hop: hop,
            now: Int64(Date().timeIntervalSince1970)
        )
        if case .write(let placement) = decision {
            try accept(placement, maximumBytes: job.request.maximumBytes)
            return .deliver
        }
        obey(decision)
        if case .fail(let fault) = decision, !fault.trustsFraming { return .stop }
        return .discard
    }

    /// Takes a decision that leaves the body alone.
    private mutating func obey(_ decision: ResumeDecision) {
        switch decision {
        case .write: break
        case .complete(let total): next = .publish(size: total)
        case .ask(let question, let step):
            history.record(step)
            if step == .originalURL { returnToOrigin() }
            pose(question)
        case .restart(let cause):
            restart(because: cause)
        case .fail(let fault):
            if !fault.keepsPartial { drop() }
            next = .fail(DownloadError(fault, url: address), retryAfter: fault.retryAfter.map { .seconds($0) })
        }
    }

    // MARK: The body

    struct Step {
        /// The first byte to be kept follows this offset.
        var start: Int64?
        var total: Int64?
        var reached: Int64?
        var flushIsDue = false
    }

    /// Writes bytes of the body; `nil` when no more are wanted.
    mutating func take(_ bytes: UnsafeRawBufferPointer, flushInterval: Duration, now: ContinuousClock.Instant) -> Step?
    {
        guard case .write(var writer) = next else { return nil }
        let wasComparing = writer.isComparing
        do throws(BodyWriter.Fault) {
            try writer.take(bytes)
        } catch {
            next = .write(writer)
            refuse(error, writer)
            return nil
        }
        next = .write(writer)
        guard !writer.isComparing else { return Step() }
        return Step(
            start: wasComparing ? held.length : nil,
            total: writer.placement.total,
            reached: writer.reached,
            flushIsDue: flushIsDue(through: writer.reached, every: flushInterval, now: now)
        )
    }

    private mutating func refuse(_ fault: BodyWriter.Fault, _ writer: BodyWriter) {
        switch fault {
        case .differs:
            obey(ResumeDecision.overlapDiffers(history: history))
        case .tooLarge(let limit):
            hold(writer)
            next = .fail(.tooLarge(limit: limit, url: address))
        case .surplus:
            hold(writer)
            let isWhole = held.total.map { held.length >= $0 } ?? true
            next = isWhole ? .publish(size: held.length) : .ask(.first(for: held, history: history))
        case .moreThanExpected(let size):
            hold(writer)
            next = .fail(.moreThanExpected(size, url: address))
        case .disk(let error):
            hold(writer)
            next = .fail(DownloadError(writing: error))
        }
    }

    // MARK: The end

    enum Conclusion {
        case ask(RangeRequest)
        case publish(size: Int64)
        case end(Attempt.End)
    }

    /// What follows from the end of a transfer.
    mutating func conclude(_ end: TransferEnd, url: HTTPURL) -> Conclusion {
        if let failure = flushing.failure { return .end(.failed(DownloadError(writing: failure))) }
        if case .cancelled = end { return .end(.stopped) }
        switch next {
        case .ask(let question): return .ask(question)
        case .publish(let size): return .publish(size: size)
        case .fail(let error, let retryAfter): return .end(.failed(error, retryAfter: retryAfter))
        case .write(let writer): return conclude(end, writer)
        case .nothing:
            guard case .failed(let error) = end else { return .end(.failed(.noResponse(from: address))) }
            return .end(.failed(failure(error)))
        }
    }

    private mutating func conclude(_ end: TransferEnd, _ writer: BodyWriter) -> Conclusion {
        let before = held.length
        hold(writer)
        switch end {
        case .complete where writer.isWhole:
            guard mayLackMore(writer.placement) else { return .publish(size: held.length) }
            // The range was a part of the rest. Without this check a server could answer for ever with nothing.
            guard held.length > before else {
                return .end(.failed(.incomplete(received: held.length, total: held.total, url: address)))
            }
            let question = RangeRequest.first(for: held, history: history)
            pose(question)
            return .ask(question)
        case .failed(let error):
            return .end(.failed(failure(error)))
        case .complete, .stopped, .cancelled:
            return .end(.failed(.incomplete(received: held.length, total: held.total, url: address)))
        }
    }

    /// Whether a body that has come whole leaves something to ask for. A part of a whole of unknown size (25) does: that
    /// nothing comes after it is for the server to say.
    private func mayLackMore(_ placement: AcceptedBody) -> Bool {
        guard let total = held.total else { return !placement.startsOver }
        return held.length < total
    }

    private mutating func failure(_ error: TransportError) -> DownloadError {
        var failure = DownloadError(error, url: address)
        // Chunks that are none are worth one more try: a server that sends them always will not mend.
        if error.kind == .malformedChunks {
            if history.contains(.malformedChunks) { failure.isRetryable = false }
            history.record(.malformedChunks)
        }
        return failure
    }
}
