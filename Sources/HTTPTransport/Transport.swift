package import SpateHTTPSyntax

/// Sends requests. Each yields at most one head, then blocks of the body, and exactly one end.
package protocol Transport: Sendable {
    /// Starts a transfer and returns at once.
    ///
    /// The sink is called on one of the transport's threads, never from within this call, and never by two threads at
    /// once. The transport retains it until it has received the end.
    @discardableResult
    func start(_ request: TransportRequest, sink: any TransportSink) -> any Transfer

    /// The loop that serves small transfers, if others may use its queue.
    var loop: EventLoop? { get }

    /// Whether a proxy connects to the host. Then a request must not choose an address.
    func usesProxy(for url: HTTPURL, _ choice: TransportProxy) -> Bool

    /// Looks up all addresses of a host. The answer is unknown if the host is itself an address.
    ///
    /// This may take very long. `completion` is called once, on any thread, perhaps within this call.
    func lookUp(_ url: HTTPURL, _ completion: @escaping @Sendable (LookupAnswer) -> Void)
}

/// What a lookup of a host has found.
package enum LookupAnswer: Sendable, Equatable {
    /// Its addresses, best first.
    case addresses([String])
    /// The name server answers that there is no such name, or that it has no address.
    case noSuchName
    /// Nothing: no name server answers, or nobody was asked.
    case unknown
}

extension Transport {
    package var loop: EventLoop? { nil }

    package func usesProxy(for url: HTTPURL, _ choice: TransportProxy) -> Bool { false }

    package func lookUp(_ url: HTTPURL, _ completion: @escaping @Sendable (LookupAnswer) -> Void) {
        completion(.unknown)
    }
}

/// A started transfer.
package protocol Transfer: Sendable {
    /// Ends the transfer. The sink still receives the bytes that had arrived, and then ``TransferEnd/cancelled`` unless
    /// the transfer had already ended. Further calls have no effect.
    func cancel()
}

/// Receives the events of a transfer.
///
/// Every call runs on the transport's thread and blocks it. This is the back-pressure: no queue can grow between the
/// network and the disk.
package protocol TransportSink: AnyObject, Sendable {
    /// The head of the final response, without interim ones (1xx). Called at most once, before any byte.
    func receive(head: ResponseHead) -> BodyDisposition
    /// The next bytes of the body, valid only during the call. Returning false ends the transfer.
    func receive(bytes: UnsafeRawBufferPointer, isLast: Bool) -> Bool
    /// The server's address, after the head and before the body. Only for a large body or a part.
    func connected(to address: String)
    /// The last call, exactly once for each transfer.
    func end(_ end: TransferEnd)
}

extension TransportSink {
    package func connected(to address: String) {}
}

/// What to do with a response's body.
package enum BodyDisposition: Sendable {
    /// Pass it to the sink.
    case deliver
    /// Read and discard it if it is short, so that the connection can be reused.
    case discard
    /// End the transfer.
    case stop
}

/// How a transfer ended.
package enum TransferEnd: Sendable {
    /// The message is complete, as far as its framing shows.
    case complete
    /// The message has ended, but nothing shows whether it is complete: over HTTP/2, without a length. To libcurl, a stream
    /// that is reset without an error ends like any other.
    case unproven
    /// The sink ended the transfer.
    case stopped
    case cancelled
    /// A rate was set while the transfer ran over HTTP/2. Request the rest with the rate in the request.
    case needsHTTP1
    case failed(TransportError)

    /// Whether the message has ended, so that its connection can be used again.
    var isOfMessage: Bool {
        switch self {
        case .complete, .unproven: true
        case .stopped, .cancelled, .needsHTTP1, .failed: false
        }
    }
}
