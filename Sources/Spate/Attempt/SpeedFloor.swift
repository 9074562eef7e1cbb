import SpateLocking
import SpatePartialFiles
import SpateTiming

/// What an attempt that receives too little has received: see ``MinimumSpeed``. All connections of the file count.
struct SpeedFloor {
    /// What had arrived when the present period began.
    private var arrived: Int64 = 0
    /// Whether our own rate was limited then.
    private var wasLimited: Bool
    /// Whether enough arrived in an earlier period.
    private(set) var wasReached = false
    /// Set once too little has arrived. The attempt ends with it.
    fileprivate(set) var failure: FetchFailure?

    init(isLimited: Bool) {
        wasLimited = isLimited
    }

    /// A period has passed. Returns whether too little has arrived.
    ///
    /// - Parameters:
    ///   - arrived: what has arrived in the attempt.
    ///   - isLimited: whether our own rate is limited. Then it proves nothing.
    mutating func judge(_ minimum: MinimumSpeed, arrived now: Int64, isLimited: Bool) -> Bool {
        defer { (arrived, wasLimited) = (now, isLimited) }
        if !minimum.isMissed(by: now - arrived) {
            wasReached = true
            return false
        }
        return !isLimited && !wasLimited
    }
}

extension FetchMachine {
    /// A body has begun. Returns whether to judge its speed from now on, period by period.
    mutating func beginsSpeedCheck(isLimited: Bool) -> Bool {
        if floor != nil { return false }
        floor = SpeedFloor(isLimited: isLimited)
        return true
    }

    /// A period has passed. If too little has arrived, all connections end.
    mutating func judgeSpeed(_ minimum: MinimumSpeed, isLimited: Bool) -> [Action] {
        // Without a connection it waits for the disk, or for something else that has its own limit.
        let (arrived, proves) = (arrived, !isLimited && !isStopping && !transfers.isEmpty)
        guard floor?.judge(minimum, arrived: arrived, isLimited: !proves) ?? false else { return [] }
        var failure = FetchFailure(.tooSlow(minimum, at: first.route.elsewhere))
        // Its bytes are no progress: a server that always drips would be asked for ever.
        failure.isFutile = floor?.wasReached == false
        floor?.failure = failure
        return division == nil ? transfers.map { .cancel($0) } : stop(because: .end(failure))
    }
}

extension Attempt {
    /// A body has begun.
    func watchSpeed(_ file: PartialFile) {
        guard let minimum = manager.configuration.minimumSpeed else { return }
        let isLimited = isLimited
        if control.withLock({ $0.machine.beginsSpeedCheck(isLimited: isLimited) }) { awaitSpeed(minimum, file) }
    }

    private func awaitSpeed(_ minimum: MinimumSpeed, _ file: PartialFile) {
        runtime.after(minimum.period) { [weak self] in
            guard let self, !operation.isFinished else { return }
            let isLimited = isLimited
            handle(file) { $0.judgeSpeed(minimum, isLimited: isLimited) }
            awaitSpeed(minimum, file)
        }
    }
}
