import SpateHTTPResumption
import SpateSplitting

/// A file whose parts several connections may fetch. A class, so that it costs the many small files no memory.
final class DivisibleFile: Sendable {
    /// Its total, strong validator and encoding.
    let held: HeldBytes
    /// The address that answered the first connection.
    let route: RequestRoute
    /// How long the answer took.
    let answer: Duration
    let total: Int64
    /// Where the response ends.
    let end: Int64

    /// Helpers need a validator, to prove that their bytes belong to the same file, and a server that serves parts;
    /// `nil` if this body shows neither.
    init?(_ body: AcceptedBody, route: RequestRoute, answer: Duration) {
        guard let total = body.total, let end = body.end, body.keepsGaps,
            body.validator?.strong != nil, !body.refusesRanges
        else { return nil }
        held = HeldBytes(length: 0, total: total, validator: body.validator, encoding: body.encoding)
        (self.route, self.answer, self.total, self.end) = (route, answer, total, end)
    }
}
