import SpateFileSystemCalls
import SpateHTTPResumption
import SpateHTTPSyntax
import SpateHTTPTransport
import SpateHosts
import SpateLocking
import SpatePacing
import SpatePartialFiles
import SpateTiming

/// The connections of an attempt: sends their requests, and feeds their events to the ``FetchMachine``.
extension Attempt {
    // MARK: Requests

    /// Sends the next request of a connection.
    func sendNext(of id: Int, _ file: PartialFile) {
        let moment = moment(of: file)
        let (sending, requests, lease) = control.withLock { control in
            let address = control.machine.first.route.address
            let proof = address.scheme == .https ? lessons.withLock { $0[address.origin].endProof } : nil
            let sending = control.machine.nextRequest(of: id, moment, endProof: proof)
            return (sending, control.requests, control.machine.first.lease)
        }
        switch consume sending {
        case .nothing(let actions): perform(actions, file)
        case .request(let ask):
            let host = ask.target.url.origin
            guard let requests, id == 0 ? mayConnect(to: host, with: lease) : mayAsk(host) else {
                return handle(file) { $0.sendsNothing(id, because: .waits(host)) }
            }
            let request = requests.transportRequest(
                for: ask.range,
                until: ask.end,
                at: ask.target.url,
                connectingTo: choose(for: ask.target, of: id),
                onItsOwnConnection: ask.hasOwnConnection,
                overHTTP1: ask.needsHTTP1
            )
            let sink = ConnectionSink(self, file, id)
            let transfer = manager.surroundings.transport.start(request, sink: sink)
            let isUnwanted = control.withLock { $0.machine.started(transfer, of: id, for: ask.request) }
            if isUnwanted { transfer.cancel() }
        }
    }

    /// Whether we may send a request to this host: it has not asked to wait, or the user wants to try anyway.
    func mayAsk(_ host: HTTPOrigin) -> Bool { isUrgent || !manager.feed.isQuiet(host) }

    /// Whether the first connection may use this host: it has room and has not asked to wait.
    ///
    /// The attempt keeps the lease of its first host. After a redirect it takes a lease of the other host as well.
    ///
    /// - Parameter former: the lease of another host, if it has one.
    func mayConnect(to host: HTTPOrigin, with former: HostLease?) -> Bool {
        if former.map({ manager.feed.isLease($0, of: host) }) ?? (host == operation.host) { return mayAsk(host) }
        giveBackRedirectLease()
        if host == operation.host { return mayAsk(host) }
        guard let lease = manager.feed.lease(host, urgently: isUrgent) else { return false }
        control.withLock { $0.machine.first.lease = lease }
        return true
    }

    func giveBackRedirectLease() {
        if let lease = control.withLock({ $0.machine.first.lease.take() }) { manager.feed.giveBack(lease) }
    }

    // MARK: Responses

    /// A connection has received a head. Returns the writer of its body, if it is accepted.
    func received(_ head: ResponseHead, of id: Int, _ file: PartialFile) -> (BodyDisposition, BodyWriter?) {
        let (moment, date) = (moment(of: file), runtime.wallClock().components.seconds)
        let originTotal = mirror == nil ? nil : download.originTotal
        let limits = ResponseLimits(download, originTotal: originTotal)
        let (address, (judgement, actions)) = control.withLock {
            ($0.machine.first.route.address, $0.machine.judge(head, of: id, limits: limits, date: date, moment))
        }
        if id == 0 {
            manager.surroundings.addresses.noteAnswer(of: address)
            if head.status < 300 { notePaceOfAnswer(head) }
        }
        perform(actions, file)
        switch consume judgement {
        case .discard: return (.discard, nil)
        case .stop: return (.stop, nil)
        case .write(let body): return (.deliver, BodyWriter(body, file, moment.filled, limits))
        case .accept(let body, let cut):
            do throws(DownloadError) {
                try checkAcceptance(of: head, from: address)
                try manager.fileSystem { () throws(FileSystemError) in
                    try prepare(file, for: body, head, cutTo: cut)
                }
            } catch {
                control.withLock { $0.machine.fail(error) }
                return (.stop, nil)
            }
            // Only the truncation can have changed what is filled.
            let moment = cut == nil ? moment : self.moment(of: file)
            accepted(body, head, file, moment)
            return (.deliver, BodyWriter(body, file, moment.filled, limits))
        }
    }

    private func notePaceOfAnswer(_ head: ResponseHead) {
        let feed = manager.feed
        guard feed.pacer.isAutomatic else { return }
        let sent = control.withLock { $0.machine.sent }
        let size: Int64? = if case .exact(let size) = head.contentLength { size } else { nil }
        feed.pacer.answered(sent: began + sent - feed.start, size: size, in: feed)
    }

    /// Asks the program whether it wants the file.
    private func checkAcceptance(of head: ResponseHead, from address: HTTPURL) throws(DownloadError) {
        guard let accept = manager.configuration.accept,
            let response = KeptResponse(url: address, head: head).response
        else { return }
        do {
            try accept(download.request, response)
        } catch {
            throw DownloadError(notAccepted: error)
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
        let notes = body.startsOver ? PartialFile.Notes.none : file.notes
        try file.begin(
            total: body.total,
            validator: body.validator,
            encoding: body.encoding,
            from: mirror,
            weakTag: weakTag ?? notes.weakTag,
            lastModified: keepsServerTime ? head.lastModified ?? notes.lastModified : nil,
            digest: body.digest,
            isPage: body.isPage,
            name: request.naming == .stated ? notes.name ?? statedName(for: head) : nil,
            isJoined: body.isJoined || notes.isJoined
        )
    }

    /// Whether the finished file gets the server's time.
    private var keepsServerTime: Bool {
        download.enqueuedRequest.keepsServerTime ?? manager.configuration.keepsServerTime
    }

    private func accepted(
        _ body: AcceptedBody,
        _ head: ResponseHead,
        _ file: PartialFile,
        _ moment: FetchMachine.Moment
    ) {
        let name = body.isPage ? file.nameToCome : nil
        let (address, beginning) = control.withLock { control in
            let beginning = control.machine.accepted(body, head, named: name, moment)
            return (control.machine.first.route.address, beginning)
        }
        // Accept mirrors only from the origin, and only with the file.
        if mirror == nil, manager.configuration.usesServerMirrors {
            let isInsecure = download.enqueuedRequest.allowsInsecureRedirects
            let duplicates = FileLinks.duplicates(in: head.fields, from: address, allowsInsecure: isInsecure)
            if !duplicates.isEmpty { report(.mirrors(duplicates, total: body.total)) }
        }
        if let beginning { begin(beginning, file) }
        // If the user gave a number, open them now. Otherwise measure the first connection first.
        if body.comparing == 0, connections != .automatic { divide(file, at: body.offset) }
    }

    /// A body has begun, and its overlap agrees.
    func begin(_ beginning: FetchMachine.Beginning, _ file: PartialFile) {
        report(.begins(at: beginning.filled, total: beginning.total, beginning.response))
        watchSpeed(file)
        // The server's digest counts only if neither the caller nor a Metalink has given a checksum. Most files have none.
        guard beginning.isChecked || beginning.stated != nil, download.wanted.checksum == nil else { return }
        expect(beginning.stated.map { ExpectedChecksum($0) }, file)
    }

    /// A connection has written bytes, perhaps the last of its body. Returns whether it continues.
    func wrote(
        _ count: Int,
        isLast: Bool,
        of id: Int,
        _ file: PartialFile,
        _ writer: borrowing BodyWriter
    ) -> Bool {
        let isNew = !writer.isComparing || id != 0
        let block = FetchMachine.Block(count: count, position: writer.position, isNew: isNew)
        let moment = FetchMachine.Moment(time: runtime.now - began, filled: writer.filled)
        let (goesOn, actions) = control.withLock { $0.machine.wrote(id, block, moment) }
        perform(actions, file)
        if isNew {
            let reached = moment.filled.count
            report(.reached(reached, isAll: isLast && reached == Int64(count)))
        }
        return goesOn || writer.isWhole
    }
}
