import CSpateTestSystem
import Foundation

/// Stops something until the test lets it go on.
///
/// Any number may stop at one gate. Once open it stays open.
package final class Gate: Sendable {
    /// Readable from when the gate is open: a server polls it together with its connection.
    let descriptor: Int32
    private let arrivals = Watched(0)

    package init() throws {
        descriptor = spate_test_eventfd()
        guard descriptor >= 0 else { throw SystemError("eventfd") }
    }

    deinit {
        close(descriptor)
    }

    /// Lets all pass, now and later.
    package func open() {
        var one: UInt64 = 1
        write(descriptor, &one, MemoryLayout<UInt64>.size)
    }

    /// Returns when this many have come to the gate (open or not).
    package func reached(times: Int = 1, fileID: String = #fileID, line: Int = #line) async throws {
        let awaited = "arrival number \(times) at the gate"
        try await arrivals.wait(for: awaited, until: { $0 >= times }, fileID: fileID, line: line)
    }

    /// For a thread that may block: announces its arrival and stops here until the gate is open. Gives up in the end, so
    /// that a test which forgot to open the gate ends.
    package func pass() {
        arrive()
        var watched = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        while poll(&watched, 1, Int32(Duration.hang.components.seconds) * 1_000) < 0, errno == EINTR {}
    }

    func arrive() {
        arrivals.update { $0 += 1 }
    }
}
