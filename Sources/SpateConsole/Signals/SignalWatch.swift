import Foundation
import Glibc
import SpateLocking

/// The signals that stop the program in an orderly way, by their numbers.
package enum StopSignal: Int32, CaseIterable, Sendable {
    case hangup = 1
    case interrupt = 2
    case terminate = 15

    /// The number plus 128, as a shell reports it: 130 for SIGINT.
    package var exitCode: Int32 { 128 + rawValue }
}

/// Waits for the signals that stop the program.
package struct SignalWatch {
    private let watched: sigset_t

    private static let last = Locked<StopSignal?>(nil)

    /// The signal that has come, if one has.
    package static var received: StopSignal? { last.withLock(\.self) }

    /// Blocks the signals from now on, and ignores SIGPIPE, so that `write` returns an error instead.
    ///
    /// Create it before other threads: they inherit the signal mask.
    package init() {
        signal(SIGPIPE, SIG_IGN)
        var set = sigset_t()
        sigemptyset(&set)
        for stop in StopSignal.allCases where stop != .hangup || !Self.isIgnored(SIGHUP) {
            sigaddset(&set, stop.rawValue)
        }
        pthread_sigmask(SIG_BLOCK, &set, nil)
        // A shell starts background jobs with SIGINT ignored. An explicit `kill -INT` must still work.
        signal(SIGINT, SIG_DFL)
        signal(SIGTERM, SIG_DFL)
        watched = set
    }

    /// The first signal lets no output wait for its reader any more, and calls `body` on a separate thread. A second one
    /// ends the process at once, with the exit code of the first.
    ///
    /// - Parameter last: called right before the process ends at once.
    package func start(
        _ body: @escaping @Sendable (StopSignal) -> Void,
        beforeExit last: @escaping @Sendable () -> Void = {}
    ) {
        let watched = watched
        let thread = Thread {
            let first = Self.next(of: watched)
            Self.last.withLock { $0 = first }
            OutputQueue.stopWaiting()
            body(first)
            _ = Self.next(of: watched)
            CrashGuard.restore()
            last()
            PrivateFolder.removeAll()
            _exit(first.exitCode)
        }
        thread.name = "signals"
        thread.start()
    }

    private static func next(of watched: sigset_t) -> StopSignal {
        var set = watched
        var number: Int32 = 0
        while true {
            if sigwait(&set, &number) == 0, let stop = StopSignal(rawValue: number) { return stop }
        }
    }

    /// Whether the signal was ignored at the start, as SIGHUP is under `nohup`.
    static func isIgnored(_ number: Int32) -> Bool {
        var action = sigaction()
        guard sigaction(number, nil, &action) == 0 else { return false }
        let ignoring = unsafeBitCast(SIG_IGN, to: Int.self)
        return unsafeBitCast(action.__sigaction_handler.sa_handler, to: Int.self) == ignoring
    }
}
