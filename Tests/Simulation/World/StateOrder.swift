import Spate

/// What is told of one download, in the order in which it may be told.
struct StateOrder {
    private(set) var last: DownloadState?
    private var received: Int64 = 0
    private var hasRun = false
    /// Whether nothing is told in the middle of a call that enqueues.
    private let jobsAreWhole: Bool
    /// Whether progress was told before any state: only an end follows that.
    private var endsAtOnce = false
    /// Whether progress was told while it waits for the disk: only an end follows that, too.
    private var endsNow = false

    var hasEnded: Bool { last?.isTerminal ?? false }

    /// Whether an attempt is over with this state. One that waits for a host with room goes on.
    func endsAttempt(_ state: DownloadState) -> Bool {
        switch (last, state) {
        case (.running, .waiting(.slot)), (.running, .waiting(.disk)): false
        case (.running, _), (.waiting(.disk), _): true
        default: false
        }
    }

    init(_ world: World) {
        jobsAreWhole = world.jobsAreWhole
    }

    /// Returns what is wrong with an event that follows those before.
    mutating func note(_ event: DownloadEvent) -> String? {
        switch event {
        case .state(let state): note(state)
        case .progress(let progress): note(progress)
        }
    }

    mutating func note(_ state: DownloadState) -> String? {
        defer { (last, endsNow) = (state, false) }
        // Progress may begin with less in another attempt.
        if case .running = state { (received, hasRun) = (0, true) }
        // Its file may be there already, and be found while somebody reads or pauses it.
        if case .finished = state, !jobsAreWhole, !hasRun, !hasEnded { return nil }
        guard let last else { return endsAtOnce && !state.isTerminal ? "progress before \(state.name)" : nil }
        return Self.mayFollow(state, last) ? nil : "\(state.name) follows \(last.name)"
    }

    private mutating func note(_ progress: DownloadProgress) -> String? {
        defer { received = progress.receivedBytes }
        if hasEnded { return "progress after the end" }
        if last == nil { endsAtOnce = true }
        if let total = progress.totalBytes, progress.receivedBytes > total {
            return "\(progress.receivedBytes) bytes of \(total)"
        }
        if case .waiting(.disk) = last {
            if endsNow { return "progress while it waits for the disk" }
            endsNow = true
        }
        guard case .running = last, progress.receivedBytes < received else { return nil }
        return "progress falls from \(received) to \(progress.receivedBytes) within an attempt"
    }

    private static func mayFollow(_ state: DownloadState, _ last: DownloadState) -> Bool {
        switch (last, state) {
        case (.finished, _), (.failed, _), (.cancelled, _): false
        case (.waiting(.slot), .waiting(.host)), (.waiting(.slot), .running), (.waiting(.host), .running): true
        // The user wants to try now.
        case (.waiting(.host), .waiting(.slot)): true
        case (.waiting(.retry), .waiting(.slot)), (.paused, .waiting(.slot)): true
        case (.running, .running), (.paused, .paused): false
        // Too late to pause or to cancel, unless its name may be lost.
        case (.waiting(.disk), .running), (.waiting(.disk), .waiting(.slot)), (.waiting(.disk), .waiting(.host)): false
        case (.waiting(.disk), .waiting(.disk)): false
        case (.waiting(.disk), _): true
        case (.running, _): true
        case (_, .paused), (_, .cancelled): true
        default: false
        }
    }
}

extension Download {
    var waitsForHost: Bool { state == .waiting(.host) }
}
