import Synchronization

/// Whether the demo is to end early, and why.
final class DemoStop: Sendable {
    private let code = Atomic<Int32>(0)

    func request(_ signal: StopSignal) {
        code.store(signal.exitCode, ordering: .relaxed)
    }

    /// The code to exit with; `nil` as long as nothing stops it.
    var exitCode: Int32? {
        let code = code.load(ordering: .relaxed)
        return code == 0 ? nil : code
    }
}
