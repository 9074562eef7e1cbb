/// One client's bytes, in and out. What does not say otherwise belongs to the one thread
/// that serves it.
protocol Connection: Sendable {
    /// Waits for bytes and returns how many there are now; 0 when none will come any more.
    func read(into buffer: UnsafeMutableRawBufferPointer) -> Int

    /// Writes all, and returns how many were taken: fewer than given when the connection is lost.
    func write(_ bytes: UnsafeRawBufferPointer) -> Int

    /// Waits until the descriptor is readable or the time is up, whichever is first; for ever where both are `nil`.
    /// Returns false as soon as the connection is lost.
    func wait(for descriptor: Int32?, upTo limit: Duration?) -> Bool

    /// Waits until the peer's machine has all bytes written so far. Returns false when that will not happen.
    func waitUntilDelivered() -> Bool

    /// Ends it in order: the peer gets all bytes, and then the end.
    func close()

    /// Ends it in order for TCP, but without the end that TLS has of its own: the peer cannot tell it from a cut.
    func closeUnannounced()

    /// Ends it with a reset. Bytes that were not delivered are lost.
    func reset()

    /// Makes `read` return 0 from now on, without a sign to the peer. From any thread.
    func stopReading()

    /// Ends it from any thread: whatever the serving thread waits for returns.
    func shutDown()

    /// Whether the peer has closed its side. From any thread.
    var peerHasLeft: Bool { get }
}
