import HTTPResumption
import HTTPTransport
import Locking
import PartialFiles
import Timing

/// The connections of an attempt. Feeds their events to the ``FetchMachine`` under the lock, and does what it says after it.
extension Attempt {
    /// Sends the first request.
    func fetch(into file: PartialFile, _ requests: FetchRequest, history: ResumeHistory, budget: RequestBudget) {
        let wanted = download.enqueuedRequest
        let isProtected = mirror != nil && !beginsAnew
        let held = file.found(for: mirror, hasChecksum: wanted.checksum != nil, isProtected: isProtected)
        let machine = FetchMachine(
            FetchedBytes(held, file.filled, isProtected: isProtected),
            requests.route,
            askedAbout: askedAbout,
            allowsInsecure: wanted.allowsInsecureRedirects,
            longestWait: manager.configuration.retry.longestWait,
            history: history,
            budget: budget,
            checksum: expectedChecksum(of: file),
            syncs: SyncSchedule(losingAtMost: manager.configuration.syncInterval, isInMemory: file.isInMemory)
        )
        control.withLock { ($0.requests, $0.fetch) = (requests, machine) }
        sendNext(of: 0, file)
    }

    func moment(of file: PartialFile) -> FetchMachine.Moment {
        FetchMachine.Moment(time: runtime.now - began, filled: file.filled)
    }

    // MARK: Requests

    /// Sends the next request of a connection.
    func sendNext(of id: Int, _ file: PartialFile) {
        let moment = moment(of: file)
        let (sending, requests) = control.withLock { control in
            (control.isStopping ? nil : control.fetch?.nextRequest(of: id, moment), control.requests)
        }
        guard let requests, case .request(let ask) = sending else {
            let failure: FetchFailure? = if case .nothing(let failure) = sending { failure } else { nil }
            return mayNotSend(id, file, failure)
        }
        let host = ask.route.address.origin
        switch ask.role {
        case .first: if !mayConnect(to: host) { return end(file, waitingFor: host) }
        case .part: if !mayAsk(host) { return mayNotSend(id, file, nil) }
        }
        let request = requests.transportRequest(
            for: ask.range,
            until: ask.end,
            at: ask.route.address,
            onItsOwnConnection: id != 0
        )
        let sink = ConnectionSink(self, file, id, request: ask.request)
        let transfer = manager.surroundings.transport.start(request, sink: sink)
        let isUnwanted = control.withLock { control in
            let isStopping = control.isStopping
            return control.fetch?.change(id) { $0.started(transfer, for: ask.request, isStopping: isStopping) } ?? false
        }
        if isUnwanted { transfer.cancel() }
    }

    private func mayNotSend(_ id: Int, _ file: PartialFile, _ failure: FetchFailure?) {
        if id == 0 { return end(file, failure) }
        control.withLock { if $0.isStopping { $0.fetch?.stopDivision() } }
        connectionEnded(id, file, .refused(.failed))
    }

    /// Whether we may send a request to this host: it has not asked to wait, or the user wants to try anyway.
    private func mayAsk(_ host: HTTPOrigin) -> Bool { isUrgent || !manager.feed.isQuiet(host) }

    /// Whether the first connection may use this host: it has room and has not asked to wait.
    ///
    /// The attempt keeps the lease of the host that it began with. After a redirect it takes one of the other host as well.
    private func mayConnect(to host: HTTPOrigin) -> Bool {
        let former = control.withLock { $0.redirectLease }
        if host == former?.host ?? operation.host { return mayAsk(host) }
        giveBackRedirectLease()
        if host == operation.host { return mayAsk(host) }
        guard let lease = manager.feed.lease(host, urgently: isUrgent) else { return false }
        control.withLock { $0.redirectLease = lease }
        return true
    }

    func giveBackRedirectLease() {
        let lease = control.withLock { $0.redirectLease.take() }
        if let lease { manager.feed.giveBack(lease) }
    }

    // MARK: Responses

    /// A connection has received a head. Returns the body to write, if it is accepted.
    func received(_ head: ResponseHead, of id: Int, _ file: PartialFile) -> (BodyDisposition, AcceptedBody?) {
        let (moment, date) = (moment(of: file), runtime.wallClock().components.seconds)
        let originTotal = mirror == nil ? nil : download.originTotal
        let limits = ResponseLimits(download.enqueuedRequest, originTotal: originTotal)
        let (judgement, drops, refusal) = control.withLock { control in
            control.fetch?.use { fetch in
                let judgement = fetch.judge(head, of: id, limits: limits, date: date, moment)
                return (judgement, fetch.takeDrop(), fetch.refusal(of: id))
            } ?? (.stop, false, nil)
        }
        if drops { drop(file) }
        // Others must know it at once: the body of the refusal may take long.
        if let refusal, id == 0 {
            manager.feed.note(refusal, at: [download.host, refusal.host], of: (download, began))
        } else if let refusal {
            manager.feed.note(refusal, at: [refusal.host])
        }
        switch judgement {
        case .discard: return (.discard, nil)
        case .stop: return (.stop, nil)
        case .write(let body): return (.deliver, body)
        case .accept(let body, let cut):
            do throws(FileSystemError) {
                try prepare(file, for: body, head, cutTo: cut)
            } catch {
                control.withLock { $0.fetch?.fail(DownloadError(writing: error)) }
                return (.stop, nil)
            }
            accepted(body, head, file)
            return (.deliver, body)
        }
    }

    /// Prepares the file for an accepted body.
    private func prepare(
        _ file: PartialFile,
        for body: AcceptedBody,
        _ head: ResponseHead,
        cutTo cut: Int64?
    ) throws(FileSystemError) {
        if let cut { try file.truncate(to: cut) }
        if let total = body.total { try file.reserve(through: total) }
        // A response has one tag, strong or weak.
        let weakTag: String? = if case .etag = body.validator { nil } else { EntityValidator.weakTag(of: head) }
        // A part need not repeat what the first response said.
        let notes = body.startsOver ? (weakTag: nil, lastModified: nil) : file.notes
        try file.begin(
            total: body.total,
            validator: body.validator,
            encoding: body.encoding,
            from: mirror,
            weakTag: weakTag ?? notes.weakTag,
            lastModified: keepsServerTime ? head.lastModified ?? notes.lastModified : nil,
            digest: body.digest,
            isPage: body.isPage
        )
    }

    private func accepted(_ body: AcceptedBody, _ head: ResponseHead, _ file: PartialFile) {
        let (name, moment) = (file.location.finalName, moment(of: file))
        let beginning = control.withLock { $0.fetch?.accepted(body, head, named: name, moment) }
        guard let beginning else { return }
        // Accept mirrors only from the origin, and only with the file.
        if mirror == nil {
            let isInsecure = download.enqueuedRequest.allowsInsecureRedirects
            let duplicates = DuplicateLinks.urls(in: head.fields, from: beginning.address, allowsInsecure: isInsecure)
            if !duplicates.isEmpty { report(.mirrors(duplicates, total: body.total)) }
        }
        // While the overlap is compared the response may still turn out to be of another file.
        if body.comparing > 0 { return }
        begin(beginning, file)
        // If the user gave a number, open them now. Otherwise measure the first connection before.
        if connections != .automatic { divide(file, at: body.offset) }
    }

    /// A body has begun, and its overlap agrees.
    func begin(_ beginning: FetchMachine.Beginning, _ file: PartialFile) {
        report(.begins(at: file.filled.count, total: beginning.total))
        // The digest that the server states counts if the caller has given no checksum.
        guard download.enqueuedRequest.checksum == nil else { return }
        let (stated, library) = (beginning.stated.map { ExpectedChecksum($0) }, manager.validConfiguration.digests)
        control.withLock { $0.fetch?.checksum.expect(stated, of: file, by: library) }
    }

    /// What the caller has given, or the server has stated before.
    private func expectedChecksum(of file: PartialFile) -> ArrivingChecksum {
        let given = download.enqueuedRequest.checksum.map { ExpectedChecksum($0) }
        var checksum = ArrivingChecksum()
        checksum.expect(
            given ?? file.found.digest.map { ExpectedChecksum($0) },
            of: file,
            by: manager.validConfiguration.digests
        )
        return checksum
    }

    // MARK: Bytes

    /// A connection has written bytes. Returns whether it continues.
    func wrote(_ count: Int, of id: Int, _ file: PartialFile, _ writer: borrowing BodyWriter) -> Bool {
        let isNew = !writer.isComparing || id != 0
        let block = FetchMachine.Block(count: count, position: writer.position, isNew: isNew)
        let moment = FetchMachine.Moment(time: runtime.now - began, filled: writer.filled)
        let (goesOn, actions) = control.withLock { $0.fetch?.use { $0.wrote(id, block, moment) } ?? (true, []) }
        perform(actions, file)
        if isNew { report(.reached(moment.filled.count)) }
        return goesOn || writer.isWhole
    }

    // MARK: Ends

    /// The transfer of a connection has ended.
    func ended(_ id: Int, _ file: PartialFile, _ finish: Connection.Finish) {
        let moment = moment(of: file)
        let (step, drops) = control.withLock { control -> (FetchMachine.Step, Bool) in
            control.fetch?.use { ($0.ended(id, finish, moment), $0.takeDrop()) } ?? (.concluded(.end(nil)), false)
        }
        if drops { drop(file) }
        switch step {
        case .sendsAgain: sendNext(of: id, file)
        case .ended(let end): connectionEnded(id, file, end)
        case .concluded(let conclusion): follow(conclusion, file)
        }
    }

    func follow(_ conclusion: FetchMachine.Conclusion, _ file: PartialFile) {
        switch conclusion {
        case .send: sendNext(of: 0, file)
        case .publish(let size): complete(file, size: size)
        case .unchanged: keepFinished(file)
        case .end(var failure):
            if let suspicion = failure?.suspicion, areBlamed(suspicion) {
                control.withLock { $0.fetch?.goesOnAlone() }
                failure?.error.isRetryable = true
            }
            end(file, failure)
        }
    }

    private func areBlamed(_ suspicion: (host: HTTPOrigin, time: FetchMachine.Time)) -> Bool {
        lessons.withLock { $0.blameHelpers(suspicion.host, now: began + suspicion.time) }
    }

    /// Truncates the file to nothing.
    func drop(_ file: PartialFile) {
        let isGone = (try? file.truncate(to: 0)) != nil
        control.withLock { $0.fetch?.dropped(isGone: isGone) }
    }

    /// The complete file has a wrong checksum. The next attempt may fetch it in one piece; this one may not, since progress
    /// does not fall within an attempt.
    func checksumDiffers(_ expected: ExpectedChecksum, found: Checksum, _ file: PartialFile) -> FetchFailure {
        var error = DownloadError.otherChecksum(found: found, expected, url: request.url)
        let (isRetryable, drops) = control.withLock { control in
            control.fetch?.use { ($0.dropWrongFile(isStated: expected.field != nil), $0.takeDrop()) } ?? (false, false)
        }
        if drops { drop(file) }
        error.isRetryable = isRetryable
        return FetchFailure(error)
    }

    // MARK: Stopping

    /// Cancels the running transfers, and sends no more requests.
    func cancel() {
        let (transfers, preparation) = control.withLock { control in
            control.isStopping = true
            return (control.fetch?.use { $0.transfers } ?? [], control.preparation)
        }
        preparation?.cancel()
        for transfer in transfers { transfer.cancel() }
    }

    /// Whether it was cancelled, or a sync failed.
    var isStopping: Bool { control.withLock { $0.isStopping } }
}
