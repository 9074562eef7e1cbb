import HTTPResumption
import HTTPTransport
import Locking
import PartialFiles
import Timing

/// Several connections for one file: opens them, and keeps what they teach about the host.
extension Attempt {
    private var isAutomatic: Bool { connections == .automatic }

    /// Lets other connections fetch parts of the file, unless a rate is limited or the host gets one connection.
    ///
    /// - Parameter position: where the first connection is.
    func divide(_ file: PartialFile, at position: Int64) {
        if isLimited { return }
        guard let divisible = control.withLock({ $0.fetch?.takeDivisible() }) else { return }
        let host = divisible.route.address.origin
        let moment = moment(of: file)
        let count: Int? = if case .exactly(let count) = connections { count } else { nil }
        let known = lessons.withLock { lessons -> Int?? in
            if lessons.isAlone(host) { return nil }
            return count == nil ? lessons.helpfulCount(host) : lessons.allowedCount(host, now: began + moment.time)
        }
        guard let known else { return }
        let room = room(at: host)
        let division = control.withLock { control in
            control.fetch?.divide(divisible, count: count, known: known, room: room, position: position, moment)
        }
        if let division = division ?? nil { tick(file, of: division) }
    }

    private func room(at host: HTTPOrigin) -> HostRoom {
        let others = manager.surroundings.connectionCount(host, besides: manager.feed)
        return manager.feed.room(at: host, others: others, isAutomatic: isAutomatic)
    }

    /// Runs ten times a second while the file is divided.
    private func tick(_ file: PartialFile, of number: Int) {
        let moment = moment(of: file)
        let known = control.withLock { control -> (host: HTTPOrigin, processors: ProcessorTime?)? in
            let known = control.fetch?.use { fetch -> (host: HTTPOrigin, isNeeded: Bool)? in
                guard let division = fetch.division, division.number == number else { return nil }
                return (division.host, fetch.needsProcessor(moment.time))
            }
            return (known ?? nil).map { ($0.host, $0.isNeeded ? control.processors : nil) }
        }
        guard let known else { return }
        var processors = known.processors
        let idle = processors?.idleCount(on: runtime)
        let (room, isLimited) = (room(at: known.host), isLimited)
        let actions = control.withLock { control in
            if let processors { control.processors = processors }
            return control.fetch?.tick(isLimited: isLimited, idleProcessors: idle, room: room, moment)
        }
        guard let actions = actions ?? nil else { return }
        perform(actions, file)
        runtime.after(.milliseconds(100)) { [weak self] in self?.tick(file, of: number) }
    }

    func perform(_ actions: [FetchMachine.Action], _ file: PartialFile) {
        for action in actions {
            switch action {
            case .begin(let beginning): begin(beginning, file)
            case .sync: onDisk { self.sync(file) }
            case .digest(let digest, let front): digest.advance(to: front)
            case .divide(let position): divide(file, at: position)
            case .open(let id, let isOnly): open(id, file, isOnly: isOnly)
            case .cancel(let transfer): transfer.cancel()
            case .report: reportCount()
            }
        }
    }

    private func reportCount() {
        // Reported under the lock, so that an older number cannot come later.
        control.withLock { control in
            if let count = control.fetch?.use({ $0.openCount }) { report(.connections(count)) }
        }
    }

    /// Opens a connection for a part.
    private func open(_ id: Int, _ file: PartialFile, isOnly: Bool) {
        guard let host = control.withLock({ $0.fetch?.use { $0.division?.host } ?? nil }) else { return }
        let feed = manager.feed
        // The lock orders managers: two that open helpers at once must not exceed the host's number together.
        let lease = lessons.withLock { lessons -> HostLease? in
            let others = manager.surroundings.connectionCount(host, besides: feed)
            let lease = feed.leaseHelper(host, others: others, isAutomatic: isAutomatic, isOnly: isOnly)
            if lease != nil { lessons.learn(host) { $0.helped = runtime.now } }
            return lease
        }
        guard let lease else { return connectionEnded(id, file, .withdrawn) }
        control.withLock { _ = $0.fetch?.change(id) { $0.lease = lease } }
        // From now on the file may have gaps. That costs an update of the record for each block.
        guard (try? file.allowGaps()) ?? false else { return connectionEnded(id, file, .refused(.useless)) }
        sendNext(of: id, file)
    }

    /// A connection of a divided file has ended, or could not be opened.
    func connectionEnded(_ id: Int, _ file: PartialFile, _ end: Connection.End) {
        let (lease, host) = control.withLock { control in
            control.fetch?.use { fetch in (fetch.change(id) { $0.lease.take() } ?? nil, fetch.division?.host) } ?? (
                nil, nil
            )
        }
        if let lease { manager.feed.giveBack(lease) }
        guard let host else { return }
        let (room, moment) = (room(at: host), moment(of: file))
        let (actions, isOver) = control.withLock { control in
            control.fetch?.use { ($0.ended(id, end, room: room, moment), $0.openCount == 0) } ?? ([], false)
        }
        perform(actions, file)
        if isOver { concludeDivision(file) }
    }

    /// All connections have ended.
    private func concludeDivision(_ file: PartialFile) {
        let filled = file.filled
        let (division, end, drops) = control.withLock { control in
            control.fetch?.use { fetch in
                let division = fetch.division
                return (division, fetch.concludeDivision(filled), fetch.takeDrop())
            } ?? (nil, .alone, false)
        }
        if let division { learn(from: division) }
        if drops { drop(file) }
        if isStopping { return self.end(file, nil) }
        switch end {
        case .end(let failure): self.end(file, failure)
        case .publish(let size): complete(file, size: size)
        case .anew(let conclusion): follow(conclusion, file)
        case .alone: follow(.send, file)
        }
    }

    /// Keeps what the next download from this host should know.
    private func learn(from division: FetchMachine.Division) {
        let mixes = if case .differs = division.outcome { true } else { false }
        let (plan, host, now) = (division.plan, division.host, runtime.now)
        lessons.withLock { lessons in
            if plan.isUnanswered || mixes { lessons.learn(host) { $0.isAlone = true } }
            guard let lesson = plan.lesson else { return }
            lessons.learn(host) { known in
                if isAutomatic { known.helpful = lesson } else { known.allowed = (lesson, now) }
            }
        }
    }
}
