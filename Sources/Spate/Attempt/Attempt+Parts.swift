import HTTPResumption
import HTTPTransport
import Locking
import PartialFiles
import Timing

/// Several connections of an attempt: opening them, and what the process learns from them.
extension Attempt {
    private var isAutomatic: Bool { connections == .automatic }

    /// Lets other connections fetch parts of the file, if that may be and its host is good for it.
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
            return count == nil ? lessons.helpfulCount(host) : lessons.allowedCount(host, now: moment.time)
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

    /// Ten times a second, while the file is divided.
    private func tick(_ file: PartialFile, of number: Int) {
        let moment = moment(of: file)
        let known = control.withLock { control -> (host: HTTPOrigin, processors: ProcessorTime?)? in
            guard let fetch = control.fetch, let division = fetch.division, division.number == number else {
                return nil
            }
            return (division.host, fetch.needsProcessor(moment.time) ? control.processors : nil)
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
            case .open(let id, let isOnly): open(id, file, isOnly: isOnly)
            case .cancel(let transfer): transfer.cancel()
            case .report: reportCount()
            }
        }
    }

    private func reportCount() {
        // Under the lock, so that no older number comes after it.
        control.withLock { control in
            if let fetch = control.fetch { report(.connections(fetch.openCount)) }
        }
    }

    /// Opens a connection for a part.
    private func open(_ id: Int, _ file: PartialFile, isOnly: Bool) {
        guard let host = control.withLock({ $0.fetch?.division?.host }) else { return }
        let feed = manager.feed
        // Downloads that ask at once must not exceed the host's number together, whatever manager they have.
        let lease = lessons.withLock { lessons -> HostLease? in
            let others = manager.surroundings.connectionCount(host, besides: feed)
            let lease = feed.leaseHelper(host, others: others, isAutomatic: isAutomatic, isOnly: isOnly)
            if lease != nil { lessons.learn(host) { $0.helped = runtime.now } }
            return lease
        }
        guard let lease else { return connectionEnded(id, file, .withdrawn) }
        control.withLock { _ = $0.fetch?.change(id) { $0.lease = lease } }
        // From here on the file may have gaps. It is not asked for before: it costs a record of each block.
        guard (try? file.allowGaps()) ?? false else { return connectionEnded(id, file, .refused(.useless)) }
        sendNext(of: id, file)
    }

    /// A connection of a divided file has ended, or was never opened.
    func connectionEnded(_ id: Int, _ file: PartialFile, _ end: Connection.End) {
        let (lease, host) = control.withLock { control in
            let lease = control.fetch?.change(id) { $0.lease.take() }
            return (lease ?? nil, control.fetch?.division?.host)
        }
        if let lease { manager.feed.giveBack(lease) }
        guard let host else { return }
        let (room, moment) = (room(at: host), moment(of: file))
        let (actions, isOver) = control.withLock { control in
            let actions = control.fetch?.ended(id, end, room: room, moment)
            return (actions ?? [], control.fetch?.openCount == 0)
        }
        perform(actions, file)
        if isOver { concludeDivision(file) }
    }

    /// All connections have ended.
    private func concludeDivision(_ file: PartialFile) {
        let filled = file.filled
        let (division, end, drops) = control.withLock { control in
            let division = control.fetch?.division
            let end = control.fetch?.concludeDivision(filled)
            return (division, end, control.fetch?.takeDrop() ?? false)
        }
        if let division { learn(from: division) }
        if drops { drop(file) }
        if isStopping { return self.end(file, nil) }
        switch end {
        case .end(let failure): self.end(file, failure)
        case .publish(let size): complete(file, size: size)
        case .anew(let conclusion): follow(conclusion, file)
        case .alone, nil: follow(.send, file)
        }
    }

    /// What the next download from this host should know.
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
