import SpateHTTPResumption
import SpateHTTPSyntax
import SpateHTTPTransport
import SpateLocking
import SpatePartialFiles

/// Receives one transfer of an attempt, and writes its body.
///
/// The transport calls a sink from one thread at a time, so the writer needs no lock. No lock is held during a write.
final class ConnectionSink: TransportSink {
    let attempt: Attempt
    let file: PartialFile
    /// The number of its connection.
    let id: Int
    private nonisolated(unsafe) var writer: BodyWriter?
    /// Why writing stopped.
    private nonisolated(unsafe) var fault: BodyWriter.Fault?

    init(_ attempt: Attempt, _ file: PartialFile, _ id: Int) {
        (self.attempt, self.file, self.id) = (attempt, file, id)
    }

    private var isFirst: Bool { id == 0 }

    func receive(head: ResponseHead) -> BodyDisposition {
        let (disposition, writer) = attempt.received(head, of: id, file)
        self.writer = writer
        return disposition
    }

    func connected(to address: String) {
        attempt.control.withLock { _ = $0.machine.change(id) { $0.connected(to: address) } }
    }

    func receive(bytes: UnsafeRawBufferPointer, isLast: Bool) -> Bool {
        // Taken out, so that the writer is changed in place.
        guard fault == nil, var writer = writer.take() else { return false }
        do throws(BodyWriter.Fault) {
            try writer.write(bytes, isLast: isLast && isFirst)
        } catch {
            fault = error
        }
        // If the body is longer than its part, the part is complete.
        let isAdvance = if case .surplus? = fault { !isFirst } else { fault == nil }
        let goesOn = isAdvance && attempt.wrote(bytes.count, isLast: isLast, of: id, file, writer)
        self.writer = consume writer
        return goesOn && fault == nil
    }

    func end(_ end: TransferEnd) {
        let (finish, moment) = (Connection.Finish(end: end, body: writer?.body, fault: fault), attempt.moment(of: file))
        attempt.handle(file) { [id] in $0.ended(id, finish, moment) }
    }
}
