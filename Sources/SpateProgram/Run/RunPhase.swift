import SpateConsole

/// The phase of a run: running or held, then stopping, stopped and over, or directly over.
enum RunPhase: Equatable {
    /// Downloads start as slots become free.
    case running
    /// A key has paused all downloads, and no others start.
    case held
    /// No download starts. Attempts may still write to their files.
    case stopping(StopReason)
    /// No attempt writes. A download whose file has its final name is about to end.
    case stopped(StopReason)
    case over(exitCode: Int32)

    var isGoingOn: Bool { self == .running || self == .held }

    /// Why the run ends early.
    var stopReason: StopReason? {
        switch self {
        case .stopping(let reason), .stopped(let reason): reason
        case .running, .held, .over: nil
        }
    }

    var exitCode: Int32? { if case .over(let code) = self { code } else { nil } }
}

/// Why a run stops early.
enum StopReason: Equatable, Sendable {
    case signal(StopSignal)
    /// The reader of standard output has closed it.
    case outputClosed

    var exitCode: Int32 {
        switch self {
        case .signal(let signal): signal.exitCode
        case .outputClosed: 141  // 128 + SIGPIPE, as a shell reports it
        }
    }
}
