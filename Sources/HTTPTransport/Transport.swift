package import HTTPResumption

/// Bytes from the network: a request in, then one head, a run of blocks, and one end.
package protocol Transport: Sendable {
    /// Starts a transfer and returns at once; the sink hears the rest.
    ///
    /// The sink is called on a thread of the transport's, never from within this call, never by two threads at once.
    /// It is kept until its end has been told.
    @discardableResult
    func start(_ request: TransportRequest, sink: any TransportSink) -> any Transfer
}

/// A transfer that was started.
package protocol Transfer: Sendable {
    /// Ends the transfer, whatever it is doing. The sink still gets the bytes that had arrived, and then
    /// ``TransferEnd/cancelled``, unless another end was on its way. More calls do nothing.
    func cancel()
}

/// What hears of a transfer. Every call is made on the transport's thread and holds it up: that is the back-pressure,
/// and all there is of it, so no queue can grow between the network and the disk.
package protocol TransportSink: AnyObject, Sendable {
    /// The head of the final response; interim ones (1xx) are not told. Called at most once, before any byte.
    func receive(head: ResponseHead) -> BodyDisposition
    /// The next bytes of the body, valid during the call alone. Returning false ends the transfer.
    func receive(bytes: UnsafeRawBufferPointer) -> Bool
    /// The last call, exactly once for each transfer.
    func end(_ end: TransferEnd)
}

/// What is to become of a response's body.
package enum BodyDisposition: Sendable {
    /// It is handed to the sink.
    case deliver
    /// It is read and dropped where it is short, so that the connection can be used again.
    case discard
    /// The transfer ends here.
    case stop
}

/// How a transfer ended.
package enum TransferEnd: Sendable {
    /// The message is whole, as far as its framing can tell.
    case complete
    /// The sink did not want more.
    case stopped
    case cancelled
    case failed(TransportError)

    var isComplete: Bool {
        if case .complete = self { true } else { false }
    }
}
