import Spate
import SpateConsole

/// The waiting runs of `--on-finish` and `--on-failure`. They run one at a time, in the order of the ends.
struct HookQueue {
    struct Call {
        let program: OptionProgram
        /// The download's URL in messages.
        let url: String
        let input: String
    }

    private let onFinish: OptionProgram?
    private let onFailure: OptionProgram?
    private let mostWaiting: Int
    private var waiting: [Call] = []
    private var next = 0
    private var isRunning = false
    private var starts: [Int: ContinuousClock.Instant] = [:]
    /// How many runs have failed.
    private(set) var failedCount = 0

    /// - Parameter mostWaiting: a long list does not go on while this many wait. Each needs some hundred bytes.
    init(_ programs: OptionPrograms, mostWaiting: Int = 100_000) {
        self.mostWaiting = mostWaiting
        (onFinish, onFailure) = (programs.onFinish, programs.onFailure)
    }

    /// Whether there are any hooks.
    var isUsed: Bool { onFinish != nil || onFailure != nil }

    var isIdle: Bool { leftCount == 0 }

    /// How many have not ended.
    var leftCount: Int { waitingCount + (isRunning ? 1 : 0) }

    var isFull: Bool { waitingCount >= mostWaiting }

    private var waitingCount: Int { waiting.count - next }

    /// Notes a state of a download. A finished or failed one may have a hook.
    mutating func note(_ state: DownloadState, of download: ShownDownload, now: ContinuousClock.Instant = .now) {
        guard isUsed else { return }
        switch state {
        case .running: if starts[download.number] == nil { starts[download.number] = now }
        case .finished: add(onFinish, state, download, now)
        case .failed: add(onFailure, state, download, now)
        case .cancelled: starts[download.number] = nil
        case .waiting, .paused: break
        }
    }

    private mutating func add(
        _ program: OptionProgram?,
        _ state: DownloadState,
        _ download: ShownDownload,
        _ now: ContinuousClock.Instant
    ) {
        let start = starts.removeValue(forKey: download.number)
        guard let program else { return }
        let line = JSONLine(state, of: download).text(andSeconds: start.map { now - $0 })
        waiting.append(Call(program: program, url: download.url, input: line + "\n"))
    }

    /// The next run, if none is running.
    mutating func begin() -> Call? {
        guard !isRunning, next < waiting.count else { return nil }
        let call = waiting[next]
        next += 1
        // Only now and then: removing the first moves all others.
        if next == waiting.count || next >= 1_000 {
            waiting.removeFirst(next)
            next = 0
        }
        isRunning = true
        return call
    }

    /// The running one has ended.
    mutating func end(failed: Bool) {
        isRunning = false
        if failed { failedCount += 1 }
    }

    /// Drops the waiting ones, and returns their number.
    mutating func stop() -> Int {
        let count = waitingCount
        (waiting, next) = ([], 0)
        return count
    }
}
