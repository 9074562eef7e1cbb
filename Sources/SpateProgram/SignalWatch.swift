import Foundation
import Glibc

/// Turns the signals that stop the program into a call.
struct SignalWatch {
    private let watched: sigset_t

    /// Holds the signals back from now on, and turns a closed pipe from a signal into an error of `write`.
    ///
    /// Make it before other threads begin: they inherit what this one holds back.
    init() {
        signal(SIGPIPE, SIG_IGN)
        var set = sigset_t()
        sigemptyset(&set)
        for stop in StopSignal.allCases where stop != .hangup || !Self.isIgnored(SIGHUP) {
            sigaddset(&set, stop.number)
        }
        pthread_sigmask(SIG_BLOCK, &set, nil)
        // A shell starts background jobs with SIGINT ignored; whoever sends it to one nevertheless means it.
        signal(SIGINT, SIG_DFL)
        signal(SIGTERM, SIG_DFL)
        watched = set
    }

    /// The first signal calls `body` on a thread of its own; a second one ends the process at once, with the code of
    /// the first.
    func begin(_ body: @escaping @Sendable (StopSignal) -> Void) {
        let watched = watched
        let thread = Thread {
            let first = Self.next(of: watched)
            body(first)
            _ = Self.next(of: watched)
            CrashGuard.restore()
            _exit(first.exitCode)
        }
        thread.name = "signals"
        thread.start()
    }

    private static func next(of watched: sigset_t) -> StopSignal {
        var set = watched
        var number: Int32 = 0
        while true {
            if sigwait(&set, &number) == 0, let stop = StopSignal.allCases.first(where: { $0.number == number }) {
                return stop
            }
        }
    }

    /// `nohup` starts a program with SIGHUP ignored, which is to stay so.
    static func isIgnored(_ number: Int32) -> Bool {
        var action = sigaction()
        guard sigaction(number, nil, &action) == 0 else { return false }
        let ignoring = unsafeBitCast(SIG_IGN, to: Int.self)
        return unsafeBitCast(action.__sigaction_handler.sa_handler, to: Int.self) == ignoring
    }
}
