import SpateHTTPSyntax
import SpateHTTPTransport
import SpateHosts
import SpateLocking
import SpatePartialFiles
import SpateSplitting
import SpateTiming

/// Several connections for one file: opens them, and keeps what is learned about the host.
extension Attempt {
    private var isAutomatic: Bool { connections == .automatic }

    /// Whether a rate limit is set. Then the file has one connection, whatever number was requested.
    var isLimited: Bool { rate?.isLimited ?? false }

    /// Lets other connections fetch parts of the file, unless a rate is limited or the host gets one connection.
    ///
    /// - Parameter position: where the first connection is.
    func divide(_ file: PartialFile, at position: Int64) {
        // The connection of a small file may still prove slow, but others come first.
        let isSmall = control.withLock { ($0.machine.divisible?.total ?? 0) - position < SegmentPlan.leastToGrow }
        if isLimited || isAutomatic && isSmall && manager.feed.isCrowded { return }
        guard let divisible = control.withLock({ $0.machine.divisible.take() }) else { return }
        let host = divisible.route.address.origin
        let moment = moment(of: file)
        let count: Int? = if case .exactly(let count) = connections { count } else { nil }
        let known = lessons.withLock { lessons -> (allowed: Int?, helpful: Int?)? in
            if lessons[host].isAlone { return nil }
            return (lessons.allowedCount(host, now: began + moment.time), lessons[host].helpful)
        }
        guard let known else { return }
        let room = room(at: host, open: 1)
        let allowed = known.allowed
        let division = control.withLock { control in
            defer { noteWish(control, moment) }
            return control.machine.divide(
                divisible,
                count: count,
                allowed: allowed,
                room: room,
                position: position,
                moment
            )
        }
        guard let division else { return }
        if isAutomatic {
            manager.feed.pacer.begin(answeredAfter: divisible.answer, helpful: known.helpful, in: manager.feed)
        }
        tick(file, of: division)
    }

    private func room(at host: HTTPOrigin, open: Int) -> HostRoom {
        let others = manager.surroundings.connectionCount(host, besides: manager.feed)
        return manager.feed.room(
            at: host,
            others: others,
            isAutomatic: isAutomatic,
            of: ObjectIdentifier(self),
            open: open
        )
    }

    /// Runs twenty times a second while the file is divided.
    private func tick(_ file: PartialFile, of number: Int) {
        let moment = moment(of: file)
        let known = control.withLock { control -> (host: HTTPOrigin, open: Int, processors: ProcessorTime?)? in
            guard let division = control.machine.division, division.number == number else { return nil }
            let processors = control.machine.needsProcessor(moment.time) ? control.processors : nil
            return (division.host, control.machine.openCount, processors)
        }
        guard let known else { return }
        var processors = known.processors
        let idle = processors?.idleCount(on: runtime)
        let (room, isLimited) = (room(at: known.host, open: known.open), isLimited)
        let hasOtherAddress = manager.surroundings.addresses.hasChoice(known.host) && !isBehindProxy(known.host)
        let actions = control.withLock { control in
            if let processors { control.processors = processors }
            let actions = control.machine.tick(
                isLimited: isLimited,
                hasOtherAddress: hasOtherAddress,
                idleProcessors: idle,
                room: room,
                moment
            )
            noteWish(control, moment)
            return actions
        }
        guard let actions else { return }
        perform(actions, file)
        runtime.after(.milliseconds(50)) { [weak self] in self?.tick(file, of: number) }
    }

    /// What more connections of the file might be good for. It is noted under the lock, so that none is after the end.
    private func noteWish(_ control: Control, _ moment: FetchMachine.Moment) {
        if let wish = control.machine.wish(moment.time) { note(wish) }
    }

    /// - Parameter wish: `nil` if the file is not divided any more.
    private func note(_ wish: SegmentPlan.Wish?) {
        if isAutomatic { manager.feed.pacer.note(wish, of: ObjectIdentifier(self)) }
    }

    /// All connections have ended.
    func concludeDivision(_ file: PartialFile) {
        let filled = file.filled
        if isAutomatic, let count = manager.feed.pacer.helpfulCount,
            let (host, peak) = control.withLock({ $0.machine.division.map { ($0.host, $0.plan.peak) } })
        {
            // What helped may have been connections to other hosts.
            lessons.withLock { $0.learn(host) { $0.helpful = min(count, peak) } }
        }
        handle(file) { machine in
            note(nil)
            return machine.concludeDivision(filled)
        }
    }

    func reportCount() {
        // Reported under the lock, so that an older number cannot come later.
        control.withLock { report(.connections($0.machine.openCount)) }
    }

    /// Opens a connection for a part.
    func open(_ id: Int, _ file: PartialFile, isOnly: Bool) {
        guard let host = control.withLock({ $0.machine.division?.host }) else { return }
        let feed = manager.feed
        // The lock orders managers: if two open helpers at once, they must not exceed the host's number together.
        let lease = lessons.withLock { lessons -> HostLease? in
            let others = manager.surroundings.connectionCount(host, besides: feed)
            let lease = feed.leaseHelper(host, others: others, isAutomatic: isAutomatic, isOnly: isOnly)
            if lease != nil { lessons.learn(host) { $0.helped = runtime.now } }
            return lease
        }
        guard let lease else { return handle(file) { $0.close(id, .withdrawn) } }
        control.withLock { _ = $0.machine.change(id) { $0.lease = lease } }
        // From now on the file may have gaps. That costs an update of the record for each block.
        guard (try? file.allowGaps()) ?? false else { return handle(file) { $0.close(id, .refused(.useless)) } }
        sendNext(of: id, file)
    }

    /// A connection of a divided file has ended, or could not be opened.
    func close(_ id: Int, _ end: Connection.End, _ lease: HostLease?, _ file: PartialFile) {
        if let lease { manager.feed.giveBack(lease) }
        guard let host = control.withLock({ $0.machine.division?.host }) else { return }
        let open = control.withLock { $0.machine.openCount }
        let (room, moment) = (room(at: host, open: open - 1), moment(of: file))
        handle(file) { $0.connectionEnded(id, end, room: room, moment) }
    }

    /// Keeps what later downloads from this host should know.
    func learn(_ host: HTTPOrigin, isAlone: Bool, count: Int?) {
        let now = runtime.now
        lessons.withLock { lessons in
            if isAlone { lessons.learn(host) { $0.isAlone = true } }
            guard let count else { return }
            lessons.learn(host) { known in
                known.allowed = (count, now)
            }
        }
    }
}
