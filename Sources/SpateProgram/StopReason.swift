/// Why a run ends before its downloads have.
enum StopReason: Equatable, Sendable {
    case signal(StopSignal)
    /// Nobody reads standard output any more.
    case outputClosed

    var exitCode: Int32 {
        switch self {
        case .signal(let signal): signal.exitCode
        case .outputClosed: 141  // what a shell says of a program that SIGPIPE ended
        }
    }
}
