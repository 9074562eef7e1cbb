import SpateFileSystemCalls
import SpateHTTPResumption
import SpateHTTPSyntax
import SpateHTTPTransport
import SpateHosts
import SpateSplitting

/// The rules by which an attempt fetches a file: how to handle each response, which connection requests what, and what
/// follows the end of a connection.
///
/// It has no clock and no lock, and does no I/O. Each event states its time and the filled ranges, and returns the
/// attempt's next actions in order.
struct FetchMachine {
    /// Since the attempt began.
    // The compiler does not know the size of an instant, and copies values with one field by field, through metadata.
    typealias Time = Duration

    /// The time of an event, and the filled ranges by then.
    struct Moment {
        let time: Time
        let filled: FilledRanges
    }

    /// Bytes that a connection has received.
    struct Block {
        let count: Int
        /// Where the next byte of its body belongs.
        let position: Int64
        /// Whether the file has grown. Compared bytes are no progress: if they differ, the file starts over.
        let isNew: Bool
    }

    /// What the attempt does after an event.
    enum Action {
        /// Send the next request of this connection: see ``nextRequest(of:_:)``.
        case send(Int)
        /// Truncate the file to nothing, and call ``dropped(isGone:)``.
        case drop
        /// Judge the speed of the only connection: call ``judgePace(connections:host:_:)``.
        case measure
        /// Find out which other addresses this host has.
        case lookUp(HTTPURL)
        /// This address crawls or does not answer.
        case avoid(FailedAddress)
        /// The addresses of this host do not serve the same file.
        case distrust(HTTPOrigin)
        /// Send the next request to another address. Without one the attempt ends with this failure.
        indirect case leave(FetchFailure)
        /// Notify others that a host asks to wait.
        case note(HostRestraint.Refusal, isOfFirst: Bool)
        /// The body of the first connection has begun, and its overlap agrees.
        case begin(Beginning)
        case sync
        /// Read the bytes that have arrived in order for the checksum.
        case digest(FrontDigest, upTo: Int64)
        /// Read these pieces, and call ``read(_:_:)`` for each.
        case read(PieceReader, [Int])
        /// Try to open more connections. The first one is at `position`.
        case divide(at: Int64)
        /// Request a part on another connection.
        ///
        /// - Parameter isOnly: whether no other connection is left. Then it takes the place of the first.
        case open(Int, isOnly: Bool)
        /// A connection of the divided file has ended. Return its lease, and call ``connectionEnded(_:_:room:_:)``.
        case close(Int, Connection.End, HostLease?)
        case cancel(any Transfer)
        /// Report how many connections are open.
        case report
        /// All connections of the divided file have ended: call ``concludeDivision(_:)``.
        case conclude
        /// Keep what the division showed about its host: it gets one connection, or this many helped or were allowed.
        case learn(HTTPOrigin, isAlone: Bool, count: Int?)
        /// Keep what proves the ends of this host's bodies over HTTP/2.
        case learnProof(HTTPOrigin, EndProof)
        /// Read the Metalink that a response has named, then send the request again.
        indirect case readMetalink(MetalinkLink)
        /// The file is complete.
        case publish(size: Int64)
        /// The server still has the finished file. If that is not proven, the server was only asked about it.
        case keepFinished(isProven: Bool)
        case end(AttemptEnd)
    }

    /// The next request of a connection, or the actions if it may not send one.
    enum Sending {
        case request(Ask)
        case nothing([Action])
    }

    /// A request for the transport.
    struct Ask {
        let request: Int
        let range: RangeRequest
        let end: Int64?
        let target: Connection.Target
        /// Whether it shares no connection, and goes over HTTP/1.1.
        let hasOwnConnection: Bool
        /// Whether it must not go over HTTP/2.
        let needsHTTP1: Bool
    }

    /// What a response said about the file, for observers and the checksum.
    struct Beginning {
        /// How many bytes of the file are filled.
        let filled: Int64
        let total: Int64?
        let response: KeptResponse?
        let stated: StatedDigest?
        /// Whether the file must have a checksum, as far as was known before the response.
        let isChecked: Bool
    }

    /// Whether it sends no more requests: it was cancelled, or a sync failed.
    private(set) var isStopping = false
    /// Whether it stops in favour of others.
    private(set) var givesWay = false
    /// Why a sync failed, or the mark after it could not be written. The attempt ends with this error.
    @Rare private(set) var syncFailure: FileSystemError?

    let redirects: RedirectRules
    let longestWait: Duration
    var first: Connection
    var parts: [Connection] = []
    /// Set while several connections fetch the file.
    var division: Division?
    var bytes = FetchedBytes(.none, FilledRanges(), isProtected: false)
    var history: ResumeHistory
    var remarks: [DownloadRemark] = []
    /// The last accepted response.
    var response: KeptResponse?
    /// Whether it says that the server serves parts.
    var servesParts = false
    private var requestCount = 0
    var budget = RequestBudget(.exactly(1), found: FilledRanges())
    /// How often the file was divided.
    var divisionCount = 0
    var checksum = ArrivingChecksum()
    /// Set if the file has pieces with checksums.
    var pieces: ArrivingPieces?
    private var syncs = SyncSchedule(losingAtMost: .zero, isInMemory: true)

    /// The range that the first connection requests.
    var range = RangeRequest.whole
    /// Whether a range request ends at the end of its gap. False once a server has sent less.
    var namesEnds = true
    /// Whether a rate limits the file, which HTTP/2 cannot do.
    var usesHTTP1 = false
    /// What proves the end of a body without a length; `nil` until one came over HTTP/2.
    var endProof: EndProof?
    /// Whether the first connection asks for the end of a file that may be complete.
    var isProvingEnd = false
    /// When the first connection sent its last request.
    private(set) var sent = Time.zero
    /// The file, if other connections may fetch parts of it.
    var divisible: DivisibleFile?
    /// Whether to read a Metalink that the first response with the file names.
    var looksForMetalink = false
    /// The finished file, if the server is only asked about it.
    @Rare var asked: AskedFile?
    /// Whether the first connection compares the overlap.
    var isComparing = false
    /// How fast the first connection is; `nil` if it must stay where it is.
    @Rare var pace: ConnectionPace?
    /// How many bytes of the file have arrived.
    private(set) var arrived: Int64 = 0
    /// Set while the speed is judged by a limit of the program.
    @Rare var floor: SpeedFloor?
    /// How many addresses were left because they failed.
    var failedAddressCount = 0

    init(redirects: RedirectRules, longestWait: Duration, history: ResumeHistory, _ route: RequestRoute) {
        (self.redirects, self.longestWait, self.history) = (redirects, longestWait, history)
        first = Connection(0, .first, route)
    }

    /// The file is open, and the request is prepared. It goes where the first one went at first.
    mutating func opened(
        _ bytes: consuming FetchedBytes,
        askedAbout finished: FinishedEntity?,
        budget: RequestBudget,
        syncs: SyncSchedule
    ) -> [Action] {
        (self.bytes, self.budget, self.syncs) = (bytes, budget, syncs)
        // The file may be opened again, after redirects.
        first.route.returnToOrigin()
        range = .first(for: held, history: history, unless: finished)
        // All is there, and the pieces will show whether it is right.
        if held.arePieces, let total = held.total, held.length == total {
            return [.begin(beginning(filled: total)), .publish(size: total)]
        }
        return [.send(0)]
    }

    /// The finished file to ask the server about is gone.
    mutating func finishedFileIsGone() -> [Action] {
        first.route.returnToOrigin()
        askForRest()
        return [.send(0)]
    }

    var held: HeldBytes { bytes.held }

    // MARK: Requests

    subscript(id: Int) -> Connection? { id == 0 ? first : parts.first { $0.id == id } }

    /// Changes a connection; `nil` if there is none with this number.
    @discardableResult
    mutating func change<Result>(_ id: Int, _ body: (inout Connection) -> Result) -> Result? {
        if id == 0 { return body(&first) }
        guard let index = parts.firstIndex(where: { $0.id == id }) else { return nil }
        return body(&parts[index])
    }

    /// The next request of a connection.
    ///
    /// - Parameter known: what proved the ends of earlier bodies of its host.
    mutating func nextRequest(of id: Int, _ moment: Moment, endProof known: EndProof? = nil) -> Sending {
        if isStopping { return .nothing(sendsNothing(id, because: .cancelled)) }
        if pieces?.fault != nil, let pieceEnd { return .nothing(sendsNothing(id, because: pieceEnd)) }
        if let failure = floor?.failure { return .nothing(sendsNothing(id, because: .failed(failure))) }
        requestCount += 1
        let number = requestCount
        guard let target = change(id, { $0.begin(request: number) }) ?? nil else {
            return .nothing(sendsNothing(id, because: .cancelled))
        }
        guard target.isRedirect || budget.take(filled: moment.filled.count) else {
            var failure = FetchFailure(.tooManyRequests(at: change(id) { $0.route.elsewhere } ?? nil))
            failure.isFutile = true
            return .nothing(sendsNothing(id, because: .failed(failure)))
        }
        let asked: RangeRequest
        var end: Int64?
        if let part = target.part {
            asked = .tail(from: PartDecision.start(of: part), ifRange: division?.divisible.held.validator?.strong)
            division?.hadHelp = true
            end = part.upperBound
        } else {
            (divisible, sent) = (nil, moment.time)
            endProof = endProof ?? known
            asked = range
            if namesEnds, let gapEnd = bytes.held.gapEnd {
                // It overlaps the bytes behind the gap, to compare them.
                let total = bytes.held.total ?? .max
                end = gapEnd < total - RangeRequest.seamLength ? gapEnd + RangeRequest.seamLength : total
            }
        }
        let hasOwnConnection = id != 0 || usesHTTP1
        return .request(
            Ask(
                request: number,
                range: asked,
                end: end,
                target: target,
                hasOwnConnection: hasOwnConnection,
                needsHTTP1: endProof == .http1
            )
        )
    }

    /// A connection sends no request. A part is refused; without the first connection the attempt ends.
    mutating func sendsNothing(_ id: Int, because end: AttemptEnd) -> [Action] {
        id == 0 ? [.end(end)] : close(id, .refused(.failed))
    }

    /// The transport has started a request. Returns whether to cancel it.
    mutating func started(_ transfer: any Transfer, of id: Int, for request: Int) -> Bool {
        guard let isNeeded = change(id, { $0.started(transfer, for: request) }) ?? nil else { return false }
        return isStopping || pieces?.fault != nil || !isNeeded
    }

    /// The running transfers.
    var transfers: [any Transfer] { (parts + [first]).compactMap(\.running) }

    // MARK: Bytes

    /// A connection has written bytes. Returns whether it continues.
    mutating func wrote(_ id: Int, _ block: Block, _ moment: Moment) -> (goesOn: Bool, actions: [Action]) {
        var actions: [Action] = []
        if block.isNew {
            arrived += Int64(block.count)
            if id == 0, isComparing {
                isComparing = false
                actions.append(.begin(beginning(filled: moment.filled.count)))
            }
            if let digest = checksum.digest { actions.append(.digest(digest, upTo: moment.filled.front)) }
            if pieces != nil {
                let written = block.position - Int64(block.count)..<block.position
                actions += readPieces { $0.take(filledIn: written, moment.filled) }
            }
            if syncs.begins(after: block.count, now: moment.time) { actions.append(.sync) }
            if id == 0, divisible != nil { actions.append(.divide(at: block.position)) }
            // In place: a new box for each block would cost more than the rest.
            if id == 0, $pace?.value.note(block.position, now: moment.time) ?? false { actions.append(.measure) }
        }
        let isLeaving = id == 0 && first.isLeaving
        if division == nil { return (!isLeaving, actions) }
        actions += advanced(id, to: block.position, moment)
        return (mayGoOn(id) && !isLeaving, actions)
    }

    /// A due sync has ended. After a failure the attempt stops.
    mutating func synced(_ failure: FileSystemError?) -> [Action] {
        syncs.ended()
        guard let failure else { return [] }
        syncFailure = failure
        return stop()
    }

    /// Stops in favour of others, if a later request continues the file.
    mutating func giveWay(_ filled: FilledRanges) -> [Action] {
        guard !isStopping, filled.isEmpty || servesParts && mayContinue(filled) else { return [] }
        givesWay = true
        return stop()
    }

    /// Cancels the running transfers, and sends no more requests.
    mutating func stop() -> [Action] {
        isStopping = true
        return transfers.map { .cancel($0) }
    }
}
