import CSpateCurl

/// What libcurl calls during a transfer, with the handle as the context.
extension CurlHandle {
    var context: UnsafeMutableRawPointer { Unmanaged.passUnretained(self).toOpaque() }

    /// Calls a method of the handle that a callback is for.
    private static func with<Result>(_ context: UnsafeMutableRawPointer?, _ body: (CurlHandle) -> Result) -> Result {
        guard let context else { preconditionFailure("libcurl called without its context") }
        return body(Unmanaged<CurlHandle>.fromOpaque(context).takeUnretainedValue())
    }

    func setReceivers() {
        _ = spate_curl_set_receiver(easy, CInt(SPATE_CURLOPT_HEADERFUNCTION)) { bytes, _, count, context in
            CurlHandle.with(context) { $0.receive(line: UnsafeRawBufferPointer(start: bytes, count: count)) }
        }
        _ = spate_curl_set_receiver(easy, CInt(SPATE_CURLOPT_WRITEFUNCTION)) { bytes, _, count, context in
            CurlHandle.with(context) { $0.receive(piece: UnsafeRawBufferPointer(start: bytes, count: count)) }
        }
    }

    private func receive(line: UnsafeRawBufferPointer) -> Int {
        result(transfer?.receive(line: line, on: self), of: line)
    }

    private func receive(piece: UnsafeRawBufferPointer) -> Int {
        result(transfer?.receive(piece: piece, on: self), of: piece)
    }

    /// What a callback returns to libcurl.
    private func result(_ answer: CurlTransfer.Answer?, of bytes: UnsafeRawBufferPointer) -> Int {
        switch answer {
        case .goOn: return bytes.count
        case .pause: return SPATE_CURL_WRITEFUNC_PAUSE
        case .stop, nil:
            // libcurl ends the transfer when the callback returns 0. If told later to close the connection, it would
            // keep that of HTTP/2, and the server would continue to send; see `RunningTransfers`.
            forbidReuse()
            return 0
        }
    }

    /// Checks for a TLS close_notify in libcurl's progress callback, which also runs before it closes the connection.
    func observeCloseNotify() {
        _ = spate_curl_set_pointer(easy, CInt(SPATE_CURLOPT_XFERINFODATA), context)
        _ = spate_curl_set_observer(easy) { context, _, _, _, _ in
            CurlHandle.with(context) { $0.checkForCloseNotify() }
            return 0
        }
        _ = spate_curl_set_long(easy, CInt(SPATE_CURLOPT_NOPROGRESS), 0)
    }

    private func checkForCloseNotify() {
        let answer = spate_curl_tls_received_close_notify(easy)
        if answer >= 0 { transfer?.noteCloseNotify(isReceived: answer == 1) }
    }
}
