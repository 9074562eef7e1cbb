import CSpateCurl
import SpateHTTPSyntax

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

    /// Asks the transfer about each address before it connects, and about each connection before it uses that.
    func judgeAddresses() {
        _ = spate_curl_set_pointer(easy, CInt(SPATE_CURLOPT_OPENSOCKETDATA), context)
        _ = spate_curl_set_socket_opener(easy) { context, _, address in
            guard let address else { return -1 }
            let octets = withUnsafeTemporaryAllocation(of: UInt8.self, capacity: 16) { octets in
                octets.initialize(repeating: 0)
                return Array(octets.prefix(Int(spate_curl_read_address(address, octets.baseAddress))))
            }
            let isAllowed = CurlHandle.with(context) { $0.transfer?.allows(IPAddress(octets: octets)) ?? false }
            return isAllowed ? spate_curl_open_socket(address) : -1
        }
        _ = spate_curl_set_pointer(easy, CInt(SPATE_CURLOPT_PREREQDATA), context)
        let code = spate_curl_set_connection_judge(easy) { context, remote, _, _, _ in
            let address = remote.flatMap { IPAddress(String(cString: $0)) }
            return CurlHandle.with(context) { $0.transfer?.allows(address) ?? false } ? 0 : 1
        }
        // libcurl before 7.80 has no such callback, and asks only for new connections.
        if code != CInt(SPATE_CURLE_OK) { forceConnection() }
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
