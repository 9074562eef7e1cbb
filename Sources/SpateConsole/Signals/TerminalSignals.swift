import Foundation
import Glibc

/// Waits for the signals of the terminal, and stops the program on Ctrl-Z.
package struct TerminalSignals {
    private let watched: sigset_t

    /// Blocks the signals from now on. Create it before other threads: they inherit the signal mask.
    package init() {
        var set = sigset_t()
        sigemptyset(&set)
        for number in [SIGWINCH, SIGCONT] { sigaddset(&set, number) }
        if !SignalWatch.isIgnored(SIGTSTP) { sigaddset(&set, SIGTSTP) }
        watched = set
        // While SIGTTOU is blocked, a background program may write to the terminal.
        sigaddset(&set, SIGTTOU)
        pthread_sigmask(SIG_BLOCK, &set, nil)
    }

    /// Whether the program was continued, and the event has not been handled yet.
    static var isContinuing: Bool {
        var pending = sigset_t()
        return sigpending(&pending) == 0 && sigismember(&pending, SIGCONT) == 1
    }

    /// Calls `body` for each event on a separate thread. It must return only after the event has been handled.
    package func start(_ body: @escaping @Sendable (TerminalEvent) -> Void) {
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
                    // The kernel does not stop a program that nobody could continue, and then nothing continues it.
                    if !Self.isContinuing { body(.continued) }
                }
            }
        }
        thread.name = "terminal signals"
        thread.start()
    }

    /// Stops the program as the signal would have. Returns after it was continued.
    private static func stop() {
        var set = sigset_t()
        sigemptyset(&set)
        sigaddset(&set, SIGTSTP)
        raise(SIGTSTP)
        pthread_sigmask(SIG_UNBLOCK, &set, nil)
        pthread_sigmask(SIG_BLOCK, &set, nil)
    }
}

/// An event of the terminal.
package enum TerminalEvent: Sendable {
    case resized
    /// The program is about to be stopped, and loses the terminal.
    case suspended
    case continued
}
