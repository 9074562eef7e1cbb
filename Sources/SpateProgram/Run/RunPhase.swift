import SpateConsole

/// How far a run is. From running or held it only goes forward: to stopping, stopped and over, or to over at once.
enum RunPhase: Equatable {
    /// Downloads start as there is room.
    case running
    /// All are paused by a key, and no others start.
    case held
    /// Nothing starts any more. Attempts may still write to their files.
    case stopping(StopReason)
    /// No attempt writes any more. A download whose file has its final name is about to end.
    case stopped(StopReason)
    case over(exitCode: Int32)

    var isGoingOn: Bool { self == .running || self == .held }

    /// Why it ends early.
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
