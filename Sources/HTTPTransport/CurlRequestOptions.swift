import CCurl
import HTTPResumption

/// A request as options of a handle.
enum CurlRequestOptions {
    /// What libcurl reads from the socket at once; it hands the bytes on in pieces of 16 KiB all the same.
    private static let receiveBufferSize = 512 * 1024

    /// Sets everything that is not a callback. The list returned belongs to the caller, until libcurl has let go of
    /// the handle.
    static func apply(_ request: TransportRequest, to easy: SpateCurlEasy) -> OpaquePointer? {
        func set(_ option: Int, _ value: Int) {
            _ = spate_curl_set_long(easy, CInt(option), value)
        }
        func set(_ option: Int, _ value: String?) {
            if let value { _ = spate_curl_set_string(easy, CInt(option), value) }
        }
        set(SPATE_CURLOPT_URL, request.url.text)
        set(SPATE_CURLOPT_RANGE, request.rangeStart.map { "\($0)-" })
        set(SPATE_CURLOPT_PROTOCOLS, Int(SPATE_CURLPROTO_HTTP | SPATE_CURLPROTO_HTTPS))
        set(SPATE_CURLOPT_FOLLOWLOCATION, 0)
        set(SPATE_CURLOPT_HTTP09_ALLOWED, 0)
        // Chunks are read here: libcurl takes too much for one.
        set(SPATE_CURLOPT_HTTP_TRANSFER_DECODING, 0)
        set(SPATE_CURLOPT_SUPPRESS_CONNECT_HEADERS, 1)
        set(SPATE_CURLOPT_NOSIGNAL, 1)
        // A look-up that hangs must not hold up whoever cancels it, nor the loop's other transfers: its thread is
        // left to end by itself. Unknown before 7.87, where the loop waits for the resolver.
        set(SPATE_CURLOPT_QUICK_EXIT, 1)
        set(SPATE_CURLOPT_BUFFERSIZE, receiveBufferSize)
        set(SPATE_CURLOPT_CONNECTTIMEOUT_MS, max(1, request.connectTimeout.wholeMilliseconds))
        if let file = request.certificateAuthorities {
            set(SPATE_CURLOPT_CAINFO, file)
            // Instead of the system's, which may be in a folder as well.
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

    /// The longer list; `nil` when there is no memory. libcurl copies the line, so it is put together on the stack.
    private static func append(_ name: String, _ value: String, to list: OpaquePointer?) -> OpaquePointer? {
        // libcurl takes "Name:" for a wish to leave the field out, and "Name;" for an empty one.
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
    /// Rounded down, and within what a C int can hold.
    var wholeMilliseconds: Int {
        let (seconds, attoseconds) = components
        return Int(min(max(seconds, 0), 2_000_000) * 1000 + attoseconds / 1_000_000_000_000_000)
    }
}
