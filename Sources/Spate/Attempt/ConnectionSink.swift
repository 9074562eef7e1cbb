import HTTPResumption
import HTTPTransport
import PartialFiles

/// Receives one transfer of an attempt, and writes its body.
///
/// The transport calls it from one thread at a time. So what writes needs no lock, and none is held while it does.
final class ConnectionSink: TransportSink {
    let attempt: Attempt
    let file: PartialFile
    /// The connection, and which of its requests this is for.
    let id: Int
    let request: Int
    private nonisolated(unsafe) var writer: BodyWriter?
    /// Why it writes no more.
    private nonisolated(unsafe) var fault: BodyWriter.Fault?

    init(_ attempt: Attempt, _ file: PartialFile, _ id: Int, request: Int) {
        (self.attempt, self.file, self.id, self.request) = (attempt, file, id, request)
    }

    private var isFirst: Bool { id == 0 }

    func receive(head: ResponseHead) -> BodyDisposition {
        let (disposition, body) = attempt.received(head, of: id, file)
        writer = body.map { BodyWriter($0, file: file, maximumBytes: attempt.download.enqueuedRequest.maximumBytes) }
        return disposition
    }

    func receive(bytes: UnsafeRawBufferPointer, isLast: Bool) -> Bool {
        // Taken out, so that it is changed in place: two copies of it would be two counts of what was written.
        guard fault == nil, var writer = writer.take() else { return false }
        defer { self.writer = writer }
        let wasComparing = writer.isComparing
        do throws(BodyWriter.Fault) {
            try writer.write(bytes, isLast: isLast && isFirst)
        } catch {
            fault = error
            // What is longer than its part has brought that whole.
            guard case .surplus = error, !isFirst else { return false }
        }
        let hasStarted = isFirst && wasComparing && !writer.isComparing
        let goesOn = attempt.wrote(bytes.count, of: id, file, writer, hasStarted: hasStarted)
        return goesOn && fault == nil
    }

    func end(_ end: TransferEnd) {
        let body = writer.map {
            Connection.Body(position: $0.position, isWhole: $0.isWhole, startsOver: $0.body.startsOver)
        }
        attempt.ended(id, file, Connection.Finish(end: end, body: body, fault: fault))
    }
}
