import CSpateSystem
import Glibc

/// A thread for code that blocks.
final class OwnThread: Sendable {
    private let body: @Sendable () -> Void

    private init(_ body: @escaping @Sendable () -> Void) {
        self.body = body
    }

    /// False if the thread cannot be created. Foundation's `Thread` would not report that.
    static func start(_ name: String, _ body: @escaping @Sendable () -> Void) -> Bool {
        let thread = Unmanaged.passRetained(OwnThread(body))
        let code = spate_start_thread(
            name,
            1 << 20,
            { context in
                // Signal handlers belong on the program's own threads.
                var signals = sigset_t()
                sigfillset(&signals)
                pthread_sigmask(SIG_BLOCK, &signals, nil)
                if let context { Unmanaged<OwnThread>.fromOpaque(context).takeRetainedValue().body() }
                return nil
            },
            thread.toOpaque()
        )
        if code != 0 { thread.release() }
        return code == 0
    }
}
