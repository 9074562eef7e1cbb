import Foundation

/// The signals that end the measuring early.
struct StopSignals {
    private let watched: sigset_t

    /// Holds the signals back. Make it before other threads begin: they inherit what this one holds back.
    init() {
        var set = sigset_t()
        sigemptyset(&set)
        for number in [SIGINT, SIGTERM, SIGHUP] { sigaddset(&set, number) }
        pthread_sigmask(SIG_BLOCK, &set, nil)
        watched = set
    }

    /// The first signal calls `body` on a thread of its own; a second one ends the process.
    func begin(_ body: @escaping @Sendable () -> Void) {
        let watched = watched
        Thread {
            var (set, number) = (watched, Int32(0))
            sigwait(&set, &number)
            body()
            sigwait(&set, &number)
            _exit(130)
        }.start()
    }
}
