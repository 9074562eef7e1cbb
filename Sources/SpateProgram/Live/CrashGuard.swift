import Glibc

/// Gives the terminal back where the program ends without a chance to do so in order: by a trap, or at once.
///
/// What it needs lies ready in memory of its own, for a signal handler may neither allocate nor take a lock.
enum CrashGuard {
    private struct Saved {
        var mode: termios
        var hasMode: Bool
        var text: UnsafeMutableBufferPointer<UInt8>
    }

    private static let signals = [SIGILL, SIGTRAP, SIGABRT, SIGBUS, SIGFPE, SIGSEGV]
    // Written before the handlers are set and by the run's queue alone, one word at a time.
    nonisolated(unsafe) private static var saved: UnsafeMutablePointer<Saved>?
    nonisolated(unsafe) private static var isArmed = UnsafeMutablePointer<sig_atomic_t>.allocate(capacity: 1)
    nonisolated(unsafe) private static var before = UnsafeMutablePointer<sigaction>.allocate(capacity: 65)

    /// From now on, a crash first writes `text` and sets the terminal's mode.
    static func arm(mode: termios?, text: String) {
        if saved == nil {
            let place = UnsafeMutablePointer<Saved>.allocate(capacity: 1)
            let bytes = UnsafeMutableBufferPointer<UInt8>.allocate(capacity: text.utf8.count)
            _ = bytes.initialize(from: text.utf8)
            place.initialize(to: Saved(mode: mode ?? termios(), hasMode: mode != nil, text: bytes))
            saved = place
            isArmed.initialize(to: 0)
            before.initialize(repeating: sigaction(), count: 65)
            for number in signals { watch(number) }
        }
        // What else had the terminal meanwhile may have left it in another mode.
        if let mode { saved?.pointee.mode = mode }
        isArmed.pointee = 1
    }

    /// The terminal has been given back.
    static func disarm() {
        if saved != nil { isArmed.pointee = 0 }
    }

    /// Gives the terminal back now, if it was not.
    static func restore() {
        guard let saved, isArmed.pointee != 0 else { return }
        isArmed.pointee = 0
        _ = write(STDERR_FILENO, saved.pointee.text.baseAddress, saved.pointee.text.count)
        if saved.pointee.hasMode { tcsetattr(STDIN_FILENO, TCSANOW, &saved.pointee.mode) }
    }

    private static func watch(_ number: Int32) {
        var action = sigaction()
        action.__sigaction_handler.sa_handler = { number in
            CrashGuard.restore()
            // Whoever watched before is told next: a sanitizer, a backtrace, or the system.
            sigaction(number, CrashGuard.before + Int(number), nil)
            raise(number)
        }
        sigaction(number, &action, before + Int(number))
    }
}
