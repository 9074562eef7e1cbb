import Glibc
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
    /// Standard output can't be written, with this error number: the disk of its file is full, or fails.
    case outputFailed(code: Int32)

    /// - Parameter code: the error number of a failed write to standard output.
    init(outputError code: Int32) {
        self = code == EPIPE || code == EBADF ? .outputClosed : .outputFailed(code: code)
    }

    var exitCode: Int32 {
        switch self {
        case .signal(let signal): signal.exitCode
        case .outputClosed: 141  // 128 + SIGPIPE, as a shell reports it
        case .outputFailed: 1
        }
    }

    /// What to say about it. Whoever has closed standard output or sent a signal knows.
    var notice: Notice? { if case .outputFailed(let code) = self { .outputNotWritten(code: code) } else { nil } }

    /// Says what is to be said after a failed write to standard output, and returns the exit code.
    ///
    /// - Parameter code: the error number.
    static func exitCode(afterOutputError code: Int32) -> Int32 {
        let reason = StopReason(outputError: code)
        if let notice = reason.notice { StandardStream.error.writeNotice(notice) }
        return reason.exitCode
    }
}
