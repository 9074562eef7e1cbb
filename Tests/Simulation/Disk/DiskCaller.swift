import Glibc
import SpateExtendedAttributes

/// A process that calls, or an outsider.
struct DiskCaller: @unchecked Sendable {
    let disk: SimulatedDisk
    let process: SimulatedProcess?
    let clock: () -> Duration

    var number: pid_t { process?.number ?? 0 }
    var actor: DiskActor { process.map { .process($0.number) } ?? .outsider }

    /// The time that files get: the kernel's, which ticks every 4 ms.
    var time: Duration {
        let (seconds, attoseconds) = clock().components
        return .seconds(seconds) + .milliseconds(attoseconds / 4_000_000_000_000_000 * 4)
    }

    /// Makes a call as C would: sets `errno` and returns -1 if it fails.
    func call<Value: SignedInteger>(_ name: String, _ body: () throws -> Value) -> Value {
        do {
            try begin(name)
            return try body()
        } catch {
            errno = (error as? ErrorNumber)?.code ?? EIO
            return -1
        }
    }

    func call(_ name: String, _ body: () throws -> Void) -> CInt {
        call(name) {
            try body()
            return CInt(0)
        }
    }

    /// What comes before each call: a dead process calls nothing.
    func begin(_ name: String) throws(ErrorNumber) {
        guard let process else { return }
        disk.timeline.baton?.point()
        if process.isAlive { disk.beforeCall?(process, name) }
        guard process.isAlive else { throw ErrorNumber(code: ESRCH) }
        let longest = (name == "sync" ? disk.traits.syncTime : disk.traits.callTime)
        if longest > .zero { disk.timeline.pass(disk.timeline.time(upTo: longest)) }
        if disk.faults.delay > .zero { disk.timeline.pass(disk.faults.delay) }
    }
}
