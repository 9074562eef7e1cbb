import Foundation

/// The signals that end the measuring early.
enum StopSignals {
    private static let ends: [Int32] = {
        var ends: [Int32] = [-1, -1]
        pipe(&ends)
        return ends
    }()

    /// The first signal calls `body` on a thread of its own; a second one ends the process. Programs that are started
    /// do not inherit this.
    static func begin(_ body: @escaping @Sendable () -> Void) {
        _ = ends
        for number in [SIGINT, SIGTERM, SIGHUP] {
            signal(number) { _ in _ = write(StopSignals.ends[1], "!", 1) }
        }
        Thread {
            var byte: UInt8 = 0
            while read(ends[0], &byte, 1) < 0 {}
            body()
            while read(ends[0], &byte, 1) < 0 {}
            _exit(130)
        }.start()
    }
}
