/// Ends an observation, a batch or a verification with its last reference. What a loop iterates holds it, and goes with
/// the loop.
final class Subscription<Reader: Sendable>: Sendable {
    let reader: Reader
    private let end: @Sendable (Reader) -> Void

    init(_ reader: Reader, end: @escaping @Sendable (Reader) -> Void) {
        self.reader = reader
        self.end = end
    }

    deinit {
        end(reader)
    }
}
