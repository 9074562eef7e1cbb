import CSpateSystem
import Glibc

/// SIGPIPE, blocked on a thread that belongs to somebody else.
///
/// A write to a connection that the peer has closed raises it in the TLS library, and it would end the process.
struct PipeSignal {
    private let thread = pthread_self()
    private let wasBlocked: Bool

    private static let alone: sigset_t = {
        var signals = sigset_t()
        sigemptyset(&signals)
        sigaddset(&signals, SIGPIPE)
        return signals
    }()

    /// Blocks it on this thread.
    init() {
        var (signals, former) = (Self.alone, sigset_t())
        pthread_sigmask(SIG_BLOCK, &signals, &former)
        wasBlocked = sigismember(&former, SIGPIPE) == 1
    }

    var isOfThisThread: Bool { thread == pthread_self() }

    /// Ends that on the same thread.
    func unblock() {
        if wasBlocked { return }
        var (signals, now) = (Self.alone, timespec())
        // A raised one would be delivered now.
        sigtimedwait(&signals, nil, &now)
        pthread_sigmask(SIG_UNBLOCK, &signals, nil)
    }
}
