import Foundation
import SpateFilePaths
import SpateFileSystemCalls
import SpateHTTPResumption
import SpateHTTPSyntax
import SpateHTTPTransport
import SpateLocking
import SpateSplitting
import Testing

@testable import Spate
@testable import SpateHosts

/// What the responses and ends of an attempt's connections lead to, with no network and no disk.
@Suite struct FetchMachineTests {
    private static let mebibyte: Int64 = 1 << 20
    private static let total = 8 * mebibyte
    private static let limits = ResponseLimits()

    private var machine: FetchMachine
    /// What others must know of the last response.
    private var refusal: HostRestraint.Refusal?

    init() throws {
        machine = try Self.machine(FetchedBytes(.none, FilledRanges(), isProtected: false))
    }

    private static func machine(_ bytes: FetchedBytes) throws -> FetchMachine {
        var machine = FetchMachine(
            redirects: RedirectRules(),
            longestWait: .seconds(60),
            history: ResumeHistory(),
            RequestRoute(to: try HTTPURL("http://a.test/f"))
        )
        try open(&machine, bytes)
        return machine
    }

    private static func open(_ machine: inout FetchMachine, _ bytes: FetchedBytes) throws {
        let actions = machine.opened(
            bytes,
            askedAbout: nil,
            budget: RequestBudget(.exactly(4), found: FilledRanges()),
            syncs: SyncSchedule(losingAtMost: .seconds(10), isInMemory: false)
        )
        guard case .send(0) = actions.first else { throw Unexpected() }
    }

    /// Something else followed.
    private struct Unexpected: Error {}

    private final class SomeTransfer: Transfer {
        let isCancelled = Locked(false)
        func cancel() { isCancelled.withLock { $0 = true } }
    }

    private func moment(_ seconds: Double = 0, filled: Int64 = 0) -> FetchMachine.Moment {
        FetchMachine.Moment(time: .seconds(seconds), filled: FilledRanges(upTo: filled))
    }

    private func head(_ status: Int, _ fields: HTTPFields = [:]) -> ResponseHead {
        var head = ResponseHead(status: status, fields: fields)
        if fields.values(of: "etag").isEmpty { head.fields.append(name: "ETag", value: "\"v1\"") }
        return head
    }

    private func part(_ range: Range<Int64>, of total: Int64 = total) -> HTTPFields {
        [
            ("Content-Range", "bytes \(range.lowerBound)-\(range.upperBound - 1)/\(total)"),
            ("Content-Length", "\(range.count)"),
        ].reduce(into: HTTPFields()) { $0.append(name: $1.0, value: $1.1) }
    }

    private mutating func judge(
        _ head: ResponseHead,
        of id: Int = 0,
        _ seconds: Double = 0,
        filled: Int64 = 0
    )
        -> FetchMachine.Judgement
    {
        let (judgement, actions) = machine.judge(
            head,
            of: id,
            limits: Self.limits,
            date: 0,
            moment(seconds, filled: filled)
        )
        refusal = nil
        for case .note(let noted, _) in actions { refusal = noted }
        return judgement
    }

    private func finish(_ end: TransferEnd, at position: Int64, isWhole: Bool = false) -> Connection.Finish {
        Connection.Finish(
            end: end,
            body: Connection.Body(position: position, isWhole: isWhole, hasKnownEnd: false, startsOver: true)
        )
    }

    /// The first connection has brought a MiB, and one more was opened. Returns that and its part.
    private mutating func divide(at location: String? = nil) throws -> (id: Int, range: Range<Int64>) {
        guard case .request = machine.nextRequest(of: 0, moment()) else { throw Unexpected() }
        if let location {
            _ = judge(head(302, ["Location": location]))
            _ = machine.ended(0, Connection.Finish(end: .complete), moment())
            guard case .request = machine.nextRequest(of: 0, moment()) else { throw Unexpected() }
        }
        let whole: HTTPFields = ["Content-Length": "\(Self.total)", "Accept-Ranges": "bytes"]
        guard case .accept(let body, nil) = judge(head(200, whole)) else { throw Unexpected() }
        _ = machine.accepted(body, head(200, whole), named: "f", moment())
        let divisible = machine.divisible.take()
        let room = HostRoom(helpers: 1, mayReplaceFirst: true, mayReplaceHelper: true)
        let number = machine.divide(
            try #require(divisible),
            count: 2,
            allowed: nil,
            room: room,
            position: Self.mebibyte,
            moment(0.1, filled: Self.mebibyte)
        )
        #expect(number == 1)
        let actions = machine.tick(
            isLimited: false,
            idleProcessors: nil,
            room: room,
            moment(0.2, filled: Self.mebibyte)
        )
        let opened = actions?.compactMap { if case .open(let id, isOnly: false) = $0 { id } else { nil } }
        let id = try #require(opened?.first)
        guard case .request(let ask) = machine.nextRequest(of: id, moment(0.2, filled: Self.mebibyte)),
            case .part(let range)? = machine[id]?.role, case .tail(let start, let tag?) = ask.range
        else { throw Unexpected() }
        #expect(start == range.lowerBound - RangeRequest.seamLength && ask.end == range.upperBound)
        #expect(tag.text == "\"v1\"" && machine.openCount == 2)
        return (id, range)
    }

    private mutating func end(_ id: Int, _ finish: Connection.Finish, filled: Int64 = mebibyte) -> Connection.End? {
        let actions = machine.ended(id, finish, moment(1, filled: filled))
        guard case .close(id, let end, nil) = actions.last, actions.count == 1 else { return nil }
        return end
    }

    private mutating func note(
        _ end: Connection.End?,
        of id: Int,
        filled: Int64 = mebibyte
    ) throws
        -> [FetchMachine.Action]
    {
        machine.connectionEnded(
            id,
            try #require(end),
            room: HostRoom(helpers: 0, mayReplaceFirst: false, mayReplaceHelper: false),
            moment(1, filled: filled)
        )
    }

    // MARK: Bytes

    private func block(_ mebibytes: Int64, isNew: Bool = true) -> FetchMachine.Block {
        FetchMachine.Block(count: Int(Self.mebibyte), position: mebibytes * Self.mebibyte, isNew: isNew)
    }

    private func names(_ actions: [FetchMachine.Action]) -> [String] {
        actions.map { action in
            switch action {
            case .begin: "begin"
            case .sync: "sync"
            case .divide: "divide"
            case .cancel: "cancel"
            case .drop: "drop"
            case .learn(_, isAlone: true, _): "alone"
            case .end(.failed): "fail"
            case .end(.cancelled): "end"
            default: "other"
            }
        }
    }

    /// While the overlap is compared the response may still turn out to be of another file.
    @Test mutating func aBodyHasBegunWhenItsOverlapAgrees() throws {
        let found = HeldBytes(length: 2 * Self.mebibyte, total: Self.total, validator: .etag("\"v1\""))
        machine = try Self.machine(FetchedBytes(found, FilledRanges(upTo: 2 * Self.mebibyte), isProtected: false))
        guard case .request(let ask) = machine.nextRequest(of: 0, moment(filled: 2 * Self.mebibyte)),
            case .tail(let start, _) = ask.range
        else { throw Unexpected() }
        let head = head(206, part(start..<Self.total))
        guard case .accept(let body, nil) = judge(head, filled: 2 * Self.mebibyte) else { throw Unexpected() }
        #expect(body.comparing > 0)
        _ = machine.accepted(body, head, named: "f", moment(filled: 2 * Self.mebibyte))
        let steps = [(2, false), (3, true), (4, true)].map { mebibytes, isNew in
            names(machine.wrote(0, block(Int64(mebibytes), isNew: isNew), moment(filled: 3 * Self.mebibyte)).actions)
        }
        #expect(steps == [[], ["begin", "divide"], ["divide"]])
    }

    @Test mutating func aSyncIsDueAgainWhenItHasEnded() {
        var steps: [[String]] = []
        for (index, seconds) in [0.0, 5, 10, 15].enumerated() {
            if index == 3 { #expect(machine.synced(nil).isEmpty) }
            steps.append(names(machine.wrote(0, block(Int64(index) + 1), moment(seconds)).actions))
        }
        #expect(steps == [[], ["sync"], [], ["sync"]])
    }

    // MARK: Parts

    @Test(arguments: [
        (206, 9, "\"v1\""), (206, 8, "\"v2\""), (200, 8, "\"v1\""), (412, 8, "\"v1\""), (404, 8, "\"v1\""),
        (500, 8, "\"v1\""), (416, 8, "\"v1\""),
    ])
    mutating func aPartOfAnotherFileIsRefused(status: Int, mebibytes: Int64, tag: String) throws {
        let (id, range) = try divide()
        let start = range.lowerBound - RangeRequest.seamLength
        var fields = status == 206 ? part(start..<range.upperBound, of: mebibytes * Self.mebibyte) : [:]
        fields.append(name: "ETag", value: tag)
        switch judge(head(status, fields), of: id) {
        case .discard: #expect(status != 206 && status != 200)
        case .stop: #expect(status == 206 || status == 200)
        case .accept, .write: throw Unexpected()
        }
        let end = end(id, finish(.complete, at: 0))
        guard case .refused(let reason) = end else { throw Unexpected() }
        #expect(reason == ([404, 500, 416].contains(status) ? .failed : .useless))
        // The first one goes on.
        #expect(try note(end, of: id).allSatisfy { if case .report = $0 { true } else { false } })
        #expect(machine.openCount == 1)
    }

    /// The finished file that the server was asked about has gone, so a new file is opened.
    @Test mutating func aFileThatIsOpenedAgainIsRequestedFromItsFirstURL() throws {
        guard case .request = machine.nextRequest(of: 0, moment()) else { throw Unexpected() }
        _ = judge(head(302, ["Location": "http://b.test/f"]))
        _ = machine.ended(0, Connection.Finish(end: .complete), moment())
        try Self.open(&machine, FetchedBytes(.none, FilledRanges(), isProtected: false))
        guard case .request(let ask) = machine.nextRequest(of: 0, moment()) else { throw Unexpected() }
        #expect(ask.target.url.text == "http://a.test/f")
    }

    /// Where redirects have led to may be good for one response only: the original URL is asked once.
    @Test(arguments: [false, true]) mutating func aPartIsAskedForWhereTheFirstConnectionWasAndOnceAtTheOrigin(
        isRedirected: Bool
    ) throws {
        let (id, _) = try divide(at: isRedirected ? "http://b.test/f" : nil)
        #expect(machine[id]?.route.address.text == (isRedirected ? "http://b.test/f" : "http://a.test/f"))
        for (status, address) in isRedirected ? [(403, "http://a.test/f"), (302, "http://c.test/f")] : [] {
            _ = judge(head(status, ["Location": "http://c.test/f"]), of: id)
            let actions = machine.ended(id, finish(.complete, at: 0), moment(1, filled: Self.mebibyte))
            guard case .send(id) = actions.last, case .request(let ask) = machine.nextRequest(of: id, moment(1)) else {
                throw Unexpected()
            }
            #expect(ask.target.url.text == address)
        }
        _ = judge(head(403), of: id)
        guard case .refused(.failed) = end(id, finish(.complete, at: 0)) else { throw Unexpected() }
    }

    // MARK: Ends

    /// The last that ends decides: nobody writes to the file any more then.
    @Test(arguments: [false, true]) mutating func theFileGoesOnWhenAllConnectionsHaveEnded(isFirstCut: Bool) throws {
        let (id, range) = try divide()
        let start = range.lowerBound - RangeRequest.seamLength
        _ = judge(head(206, part(start..<range.upperBound)), of: id)
        let broken = TransferEnd.failed(TransportError(.broken, detail: "reset"))
        for connection in isFirstCut ? [0, id] : [id, 0] {
            #expect(machine.openCount > 0)
            let end = end(connection, finish(broken, at: 2 * Self.mebibyte), filled: 2 * Self.mebibyte)
            guard case .cut = end else { throw Unexpected() }
            _ = try note(end, of: connection, filled: 2 * Self.mebibyte)
        }
        #expect(machine.openCount == 0)
        let actions = machine.concludeDivision(FilledRanges(upTo: 2 * Self.mebibyte))
        guard case .end(.failed(let failure)) = actions.last else { throw Unexpected() }
        #expect(failure.error.isRetryable && machine.history.contains(.helped) && machine.division == nil)
    }

    @Test mutating func differentBytesEndAllAndAreDropped() throws {
        let (id, range) = try divide()
        let transfer = SomeTransfer()
        let isUnwanted = machine.started(transfer, of: 0, for: machine.first.request)
        #expect(!isUnwanted)
        let start = range.lowerBound - RangeRequest.seamLength
        _ = judge(head(206, part(start..<range.upperBound)), of: id)
        var finish = finish(.stopped, at: range.lowerBound)
        finish.fault = .differs
        for case .cancel(let transfer) in try note(end(id, finish), of: id) { transfer.cancel() }
        #expect(transfer.isCancelled.withLock { $0 } && machine.openCount == 1)
        let ended = try note(end(0, self.finish(.cancelled, at: Self.mebibyte)), of: 0)
        guard case .conclude = ended.last else { throw Unexpected() }
        let actions = machine.concludeDivision(FilledRanges(upTo: Self.mebibyte))
        // This attempt has brought bytes, and progress does not fall within one. The next is on its own.
        #expect(names(actions) == ["alone", "drop", "fail"])
        guard case .end(.failed(let failure)) = actions.last else { throw Unexpected() }
        #expect(failure.error.isRetryable && machine.history.contains(.alone))
    }

    // MARK: Suspicion

    /// S36: a refusal may be on account of helpers, if there were any.
    @Test(arguments: [403, 429, 503, 401], [false, true])
    mutating func aRefusalMayBeOnAccountOfHelpers(status: Int, hadHelp: Bool) throws {
        machine.leaveDivision(hadHelp: hadHelp, staysAlone: false)
        guard case .request = machine.nextRequest(of: 0, moment()) else { throw Unexpected() }
        _ = judge(head(status), 3)
        let actions = machine.ended(0, Connection.Finish(end: .complete), moment(4))
        guard case .end(.failed(let failure)) = actions.last else { throw Unexpected() }
        let isSuspected = hadHelp && status != 401
        #expect((failure.suspicion != nil) == isSuspected)
        if isSuspected { #expect(failure.suspicion?.time == .seconds(3)) }
    }

    // MARK: Transfers

    /// A part may be closed before its request is sent, or while it is.
    @Test mutating func aPartThatIsClosedIsNotAskedFor() throws {
        let (id, _) = try divide()
        let transfer = SomeTransfer()
        let closed = machine.change(id) { $0.close() }
        #expect(closed != nil)
        let isUnwanted = machine.started(transfer, of: id, for: machine[id]?.request ?? 0)
        #expect(isUnwanted)
        guard case .nothing(let actions) = machine.nextRequest(of: id, moment()),
            case .close(id, .refused(.failed), nil) = actions.last
        else { throw Unexpected() }
    }

    /// The transport may report the end of a transfer before its start has returned.
    @Test mutating func aTransferThatHasEndedIsNotKept() throws {
        guard case .request(let ask) = machine.nextRequest(of: 0, moment()) else { throw Unexpected() }
        _ = machine.ended(0, Connection.Finish(end: .failed(TransportError(.broken, detail: "reset"))), moment())
        #expect(machine.stop().isEmpty)
        let isUnwanted = machine.started(SomeTransfer(), of: 0, for: ask.request)
        #expect(!isUnwanted && machine.transfers.isEmpty)
    }

    /// A limited rate would hold up the other transfers of a connection.
    @Test mutating func aBodyThatGetsALimitGoesOnOverAConnectionOfItsOwn() throws {
        guard case .request(let first) = machine.nextRequest(of: 0, moment()),
            case .accept(let body, nil) = judge(head(200))
        else { throw Unexpected() }
        _ = machine.accepted(body, head(200), named: "f", moment())
        let actions = machine.ended(0, finish(.needsHTTP1, at: 9, isWhole: true), moment(1, filled: 9))
        guard case .send(0) = actions.last, case .request(let next) = machine.nextRequest(of: 0, moment(1, filled: 9)),
            case .tail(_, let tag?) = next.range
        else { throw Unexpected() }
        #expect(!first.hasOwnConnection && next.hasOwnConnection && tag.text == "\"v1\"")
    }

    /// The head of a body without a length, over HTTP/2.
    private func streamHead(servesRanges: Bool) -> ResponseHead {
        var head = head(200, servesRanges ? ["Accept-Ranges": "bytes"] : [:])
        head.isMessageFramed = true
        return head
    }

    @Test mutating func aBodyWhoseEndIsNotProvenIsAskedForOverHTTP1BeforeItComes() throws {
        guard case .request(let first) = machine.nextRequest(of: 0, moment()),
            case .stop = judge(streamHead(servesRanges: false)),
            case .send(0) = machine.ended(0, Connection.Finish(end: .stopped), moment()).last,
            case .request(let next) = machine.nextRequest(of: 0, moment())
        else { throw Unexpected() }
        #expect(!first.needsHTTP1 && next.needsHTTP1 && !next.hasOwnConnection && next.range == .whole)
        // The server does not speak it.
        let failure = TransferEnd.failed(TransportError(.tlsHandshake, detail: "no application protocol"))
        let actions = machine.ended(0, Connection.Finish(end: failure), moment())
        guard case .learnProof(_, .range) = actions.first, case .send(0) = actions.last,
            case .request(let last) = machine.nextRequest(of: 0, moment()),
            case .accept = judge(streamHead(servesRanges: false))
        else { throw Unexpected() }
        #expect(!last.needsHTTP1)
    }

    /// Another host than the one that was learned about.
    @Test(arguments: [EndProof.http1, .range]) mutating func whatProvedTheLastEndsIsKnown(proof: EndProof) throws {
        guard case .request(let ask) = machine.nextRequest(of: 0, moment(), endProof: proof) else { throw Unexpected() }
        #expect(ask.needsHTTP1 == (proof == .http1))
    }

    /// The server ignores the range, so nothing does.
    @Test mutating func anEndThatARangeDoesNotProveIsACut() throws {
        guard case .request = machine.nextRequest(of: 0, moment()),
            case .accept(let body, nil) = judge(streamHead(servesRanges: true))
        else { throw Unexpected() }
        _ = machine.accepted(body, streamHead(servesRanges: true), named: "f", moment())
        let size: Int64 = 9_000
        let actions = machine.ended(0, finish(.unproven, at: size, isWhole: true), moment(1, filled: size))
        guard case .send(0) = actions.last, case .request(let ask) = machine.nextRequest(of: 0, moment(1, filled: size))
        else { throw Unexpected() }
        #expect(!ask.needsHTTP1 && ask.range == .tail(from: size - 4_096, ifRange: .etag("\"v1\"")))
        guard case .stop = judge(streamHead(servesRanges: true), filled: size) else { throw Unexpected() }
        let unproven = machine.ended(0, Connection.Finish(end: .stopped), moment(1, filled: size))
        guard case .learnProof(_, .http1) = unproven.first, case .end(.failed(let failure)) = unproven.last else {
            throw Unexpected()
        }
        #expect(failure.error.code == .incomplete && failure.error.isRetryable)
    }

    /// Also what is being opened at that moment, and after a sync that failed.
    @Test(arguments: [false, true]) mutating func aStopEndsEveryConnectionAndSendsNoMore(isOfDisk: Bool) throws {
        let (id, _) = try divide()
        _ = machine.started(SomeTransfer(), of: 0, for: machine.first.request)
        let failure = FileSystemError(.sync, "f", code: ENOSPC)
        #expect(names(isOfDisk ? machine.synced(failure) : machine.stop()) == ["cancel"])
        #expect(machine.syncFailure == (isOfDisk ? failure : nil))
        let isUnwanted = machine.started(SomeTransfer(), of: id, for: machine[id]?.request ?? 0)
        #expect(isUnwanted)
        for connection in [0, id] {
            let end = end(connection, finish(.cancelled, at: Self.mebibyte))
            #expect(try note(end, of: connection).allSatisfy { if case .open = $0 { false } else { true } })
        }
        #expect(names(machine.concludeDivision(FilledRanges(upTo: Self.mebibyte))).last == "end")
        guard case .nothing(let actions) = machine.nextRequest(of: 0, moment()) else { throw Unexpected() }
        #expect(names(actions) == ["end"])
    }

    @Test mutating func requestsHaveALimitAndRedirectsDoNotCount() throws {
        var sent = 0
        for _ in 0..<200 {
            switch machine.nextRequest(of: 0, moment()) {
            case .request: sent += 1
            case .nothing(let actions):
                guard case .end(.failed(let failure)) = actions.last else { throw Unexpected() }
                #expect(failure.isFutile && sent == 20)
                return
            }
        }
        throw Unexpected()
    }
}
