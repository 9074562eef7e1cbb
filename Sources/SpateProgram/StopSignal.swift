import Glibc

/// The signals that stop the program in an orderly way.
enum StopSignal: CaseIterable, Sendable {
    case interrupt, terminate, hangup

    var number: Int32 {
        switch self {
        case .interrupt: SIGINT
        case .terminate: SIGTERM
        case .hangup: SIGHUP
        }
    }

    /// What a shell says of a process that the signal ended: 130 for SIGINT.
    var exitCode: Int32 { 128 + number }
}
