import Foundation
import Glibc

/// Turns the signals about the terminal into calls, and stops the program when Ctrl-Z asks for it.
struct TerminalSignals {
    private let watched: sigset_t

    /// Holds the signals back from now on. Make it before other threads begin: they inherit what this one holds back.
    init() {
        var set = sigset_t()
        sigemptyset(&set)
        for number in [SIGWINCH, SIGCONT] { sigaddset(&set, number) }
        if !SignalWatch.isIgnored(SIGTSTP) { sigaddset(&set, SIGTSTP) }
        watched = set
        // Held back, this one does not stop a program that writes from the background.
        sigaddset(&set, SIGTTOU)
        pthread_sigmask(SIG_BLOCK, &set, nil)
    }

    /// Whether the program goes on after a stop, and has not been told so yet.
    static var isContinuing: Bool {
        var pending = sigset_t()
        return sigpending(&pending) == 0 && sigismember(&pending, SIGCONT) == 1
    }

    /// Each event calls `body`, on a thread of its own, which then returns when the event has been dealt with.
    func begin(_ body: @escaping @Sendable (TerminalEvent) -> Void) {
        let watched = watched
        let thread = Thread {
            while true {
                var set = watched
                var number: Int32 = 0
                guard sigwait(&set, &number) == 0 else { continue }
                switch number {
                case SIGWINCH: body(.resized)
                case SIGCONT: body(.continued)
                default:
                    body(.suspended)
                    Self.stop()
                }
            }
        }
        thread.name = "terminal signals"
        thread.start()
    }

    /// Stops the program as the signal would have; returns when it was continued.
    private static func stop() {
        var set = sigset_t()
        sigemptyset(&set)
        sigaddset(&set, SIGTSTP)
        raise(SIGTSTP)
        pthread_sigmask(SIG_UNBLOCK, &set, nil)
        pthread_sigmask(SIG_BLOCK, &set, nil)
    }
}
