import HTTPResumption
import HTTPTransport
import PartialFiles

/// Where an attempt stands between its steps.
struct AttemptCourse {
    /// What follows when the present response has ended.
    enum Next {
        /// No head has come.
        case nothing
        case write(BodyWriter)
        case ask(RangeRequest)
        case publish(size: Int64)
        case fail(DownloadError, retryAfter: Duration? = nil)
    }

    let origin: HTTPURL
    /// Where the question is asked.
    private(set) var address: HTTPURL
    /// The URLs that have redirected this question. Each question has a chain of its own: a signed URL that has expired
    /// may well lead back to where it came from.
    private(set) var earlier: [HTTPURL] = []
    /// How many redirects lie between the origin and `address`.
    private(set) var hop = 0
    private(set) var file: PartialFile?
    var held = HeldBytes.none
    private(set) var question = RangeRequest.whole
    var history: ResumeHistory
    var next = Next.nothing
    /// Whether the file consists of bytes of several responses.
    private(set) var wasJoined = false
    private(set) var remarks: [DownloadRemark] = []
    var flushing = FlushState()

    init(url: HTTPURL, history: ResumeHistory) {
        self.origin = url
        self.address = url
        self.history = history
    }

    // MARK: Asking

    /// The file is open: the first question.
    mutating func open(_ file: PartialFile) throws(FileSystemError) -> RangeRequest {
        self.file = file
        held = file.found
        wasJoined = held.length > 0
        return .first(for: held, history: history)
    }

    /// A question goes out, to the address returned.
    mutating func ask(_ question: RangeRequest) -> HTTPURL {
        self.question = question
        next = .nothing
        return address
    }

    /// The present response gives rise to another question, at the same address.
    mutating func pose(_ question: RangeRequest) {
        earlier = []
        next = .ask(question)
    }

    mutating func follow(_ target: HTTPURL) {
        earlier.append(address)
        hop += 1
        address = target
        next = .ask(question)
    }

    /// The redirects are forgotten: the next question goes to where the first went.
    mutating func returnToOrigin() {
        earlier = []
        hop = 0
        address = origin
    }

    // MARK: What is on disk

    /// A body has been accepted: prepares the file for it.
    mutating func accept(_ placement: AcceptedBody, maximumBytes: Int64?) throws(FileSystemError) {
        guard let file else { return }
        if placement.startsOver, held.length > 0 { try file.truncate(to: 0) }
        wasJoined = !placement.startsOver
        remarks = []
        if !placement.isLengthVerifiable { remarks.append(.lengthNotVerified) }
        if let encoding = placement.encoding { remarks.append(.contentEncoding(encoding)) }
        if placement.refusesRanges { remarks.append(.notResumable) }
        if let total = placement.total { try file.reserve(through: total) }
        try file.begin(total: placement.total, validator: placement.validator, encoding: placement.encoding)
        let start = placement.startsOver ? 0 : held.length
        held = HeldBytes(
            length: start,
            total: placement.total,
            validator: placement.validator,
            encoding: placement.encoding
        )
        next = .write(BodyWriter(placement: placement, file: file, maximumBytes: maximumBytes))
    }

    /// All that was written counts as held: the rest is asked for next.
    mutating func hold(_ writer: BodyWriter) {
        if writer.reached > held.length { history.noteProgress() }
        held = HeldBytes(
            length: writer.reached,
            total: held.total,
            validator: held.validator,
            encoding: held.encoding
        )
    }

    /// Drops the bytes, once for each cause; false when they have been dropped for this one before.
    mutating func startOver(because cause: RestartCause) -> Bool {
        guard !history.contains(.restart(cause)) else { return false }
        restart(because: cause)
        return true
    }

    /// Drops the bytes and asks for the whole, at the origin: where redirects led may be good for one answer only.
    mutating func restart(because cause: RestartCause) {
        history.record(.restart(cause))
        drop()
        returnToOrigin()
        pose(.whole)
    }

    /// Nothing of what is on disk is of use.
    mutating func drop() {
        next = .nothing
        do {
            try file?.truncate(to: 0)
            held = .none
        } catch {
            // Not cut, but of no use either: the response that starts over tries again, and its failure is told.
            held = HeldBytes(length: held.length)
        }
    }

    /// How much of the file is on disk.
    var reached: Int64 {
        if case .write(let writer) = next { max(writer.reached, held.length) } else { held.length }
    }

    /// Lets go of the file, and removes what is of no use; how much stays.
    mutating func close(deleting: Bool) -> Int64 {
        guard let file else { return 0 }
        let reached = deleting ? 0 : self.reached
        if reached == 0 { try? file.delete() }
        file.close()
        self.file = nil
        return reached
    }

    /// The file is in its place and no longer this attempt's.
    mutating func letGo() {
        file?.close()
        file = nil
    }
}
