import Glibc

/// Restores the terminal if the program crashes or exits at once.
///
/// A signal handler may neither allocate nor take a lock, so everything is prepared in separate memory.
enum CrashGuard {
    private struct Saved {
        var mode: termios?
        /// The terminal's file descriptor.
        var descriptor: Int32
        var text: UnsafeMutableBufferPointer<UInt8>
    }

    private static let signals = [SIGILL, SIGTRAP, SIGABRT, SIGBUS, SIGFPE, SIGSEGV]
    // Written only by the run's queue, before the handlers are installed or one word at a time.
    nonisolated(unsafe) private static var saved: UnsafeMutablePointer<Saved>?
    nonisolated(unsafe) private static var isArmed = UnsafeMutablePointer<sig_atomic_t>.allocate(capacity: 1)
    nonisolated(unsafe) private static var before = UnsafeMutablePointer<sigaction>.allocate(capacity: 65)

    /// From now on, a crash first writes `text` and restores the terminal's mode.
    ///
    /// - Parameter descriptor: a file descriptor of the terminal.
    static func arm(mode: termios?, of descriptor: Int32, text: String) {
        if saved == nil {
            let memory = UnsafeMutablePointer<Saved>.allocate(capacity: 1)
            let bytes = UnsafeMutableBufferPointer<UInt8>.allocate(capacity: text.utf8.count)
            _ = bytes.initialize(from: text.utf8)
            memory.initialize(to: Saved(mode: mode, descriptor: descriptor, text: bytes))
            saved = memory
            isArmed.initialize(to: 0)
            before.initialize(repeating: sigaction(), count: 65)
            for number in signals { watch(number) }
        }
        // Another program may have changed the mode since the last call.
        if let mode { saved?.pointee.mode = mode }
        isArmed.pointee = 1
    }

    /// The terminal has been restored.
    static func disarm() {
        if saved != nil { isArmed.pointee = 0 }
    }

    /// Restores the terminal now, unless that was done.
    static func restore() {
        guard let saved, isArmed.pointee != 0 else { return }
        isArmed.pointee = 0
        // A terminal that shows nothing any more must not keep the process.
        var wanted = pollfd(fd: STDERR_FILENO, events: Int16(POLLOUT), revents: 0)
        if poll(&wanted, 1, 0) > 0 {
            _ = write(STDERR_FILENO, saved.pointee.text.baseAddress, saved.pointee.text.count)
        }
        if var mode = saved.pointee.mode { tcsetattr(saved.pointee.descriptor, TCSANOW, &mode) }
    }

    private static func watch(_ number: Int32) {
        var action = sigaction()
        action.__sigaction_handler.sa_handler = { number in
            CrashGuard.restore()
            // Pass the signal to the previous handler: a sanitizer, the backtracer, or the default.
            sigaction(number, CrashGuard.before + Int(number), nil)
            raise(number)
        }
        sigaction(number, &action, before + Int(number))
    }
}
