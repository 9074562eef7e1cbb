import CCurl
import HTTPResumption

/// Sets a request's options on an easy handle.
enum CurlRequestOptions {
    /// How much libcurl reads from the socket at once. It still passes the bytes on in pieces of 16 KiB.
    private static let receiveBufferSize = 512 * 1024
    /// Under a limited rate, what was read and waits for its share is in memory.
    private static let limitedBufferSize = 64 * 1024

    /// Sets everything but the callbacks. The caller owns the returned list, and frees it after the transfer.
    static func apply(_ request: TransportRequest, to easy: SpateCurlEasy) -> OpaquePointer? {
        func set(_ option: Int, _ value: Int) {
            _ = spate_curl_set_long(easy, CInt(option), value)
        }
        func set(_ option: Int, _ value: String?) {
            if let value { _ = spate_curl_set_string(easy, CInt(option), value) }
        }
        set(SPATE_CURLOPT_URL, request.url.text)
        set(SPATE_CURLOPT_RANGE, request.rangeStart.map { "\($0)-\(request.rangeEnd.map { "\($0 - 1)" } ?? "")" })
        let isLimited = request.rate?.isLimited ?? false
        if request.hasOwnConnection || isLimited { set(SPATE_CURLOPT_HTTP_VERSION, Int(SPATE_CURL_HTTP_VERSION_1_1)) }
        set(SPATE_CURLOPT_PROTOCOLS, Int(SPATE_CURLPROTO_HTTP | SPATE_CURLPROTO_HTTPS))
        set(SPATE_CURLOPT_FOLLOWLOCATION, 0)
        set(SPATE_CURLOPT_HTTP09_ALLOWED, 0)
        // `ChunkReader` decodes chunks: libcurl's decoder is too lenient.
        set(SPATE_CURLOPT_HTTP_TRANSFER_DECODING, 0)
        set(SPATE_CURLOPT_SUPPRESS_CONNECT_HEADERS, 1)
        set(SPATE_CURLOPT_NOSIGNAL, 1)
        _ = spate_curl_set_close_on_exec(easy)
        // Do not wait for the resolver's thread when a transfer is cancelled: a hanging lookup would block the loop.
        // libcurl before 7.87 does not know this option, and waits.
        set(SPATE_CURLOPT_QUICK_EXIT, 1)
        set(SPATE_CURLOPT_BUFFERSIZE, isLimited ? limitedBufferSize : receiveBufferSize)
        set(SPATE_CURLOPT_CONNECTTIMEOUT_MS, max(1, request.connectTimeout.wholeMilliseconds))
        if let file = request.certificateAuthorities {
            set(SPATE_CURLOPT_CAINFO, file)
            // The file replaces the system's certificates, which may also be in a folder.
            _ = spate_curl_set_string(easy, CInt(SPATE_CURLOPT_CAPATH), nil)
        }
        set(SPATE_CURLOPT_INTERFACE, request.networkInterface)
        if let credentials = request.credentials {
            set(SPATE_CURLOPT_HTTPAUTH, Int(SPATE_CURLAUTH_BASIC))
            set(SPATE_CURLOPT_USERNAME, credentials.user)
            set(SPATE_CURLOPT_PASSWORD, credentials.password)
        }
        return fieldList(request.fields, on: easy)
    }

    private static func fieldList(_ fields: [(name: String, value: String)], on easy: SpateCurlEasy) -> OpaquePointer? {
        var list: OpaquePointer?
        for (name, value) in fields {
            guard let longer = append(name, value, to: list) else { break }
            list = longer
        }
        _ = spate_curl_set_fields(easy, list)
        return list
    }

    /// The longer list; `nil` if out of memory. libcurl copies the line, so it is built on the stack.
    private static func append(_ name: String, _ value: String, to list: OpaquePointer?) -> OpaquePointer? {
        // To libcurl, "Name:" removes the field, and "Name;" sends it empty.
        let middle = value.isEmpty ? ";" : ": "
        let count = name.utf8.count + middle.utf8.count + value.utf8.count
        return withUnsafeTemporaryAllocation(of: UInt8.self, capacity: count + 1) { line in
            var end = 0
            func write(_ part: String) {
                end += UnsafeMutableBufferPointer(rebasing: line[end...]).initialize(from: part.utf8).index
            }
            write(name)
            write(middle)
            write(value)
            line.initializeElement(at: end, to: 0)
            return spate_curl_slist_append(list, line.baseAddress)
        }
    }
}

extension Duration {
    /// Rounded down and clamped to a C int.
    var wholeMilliseconds: Int {
        let (seconds, attoseconds) = components
        return Int(min(max(seconds, 0), 2_000_000) * 1000 + attoseconds / 1_000_000_000_000_000)
    }
}
