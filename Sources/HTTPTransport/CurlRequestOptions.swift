import CSpateCurl
import Glibc
import SpateHTTPSyntax

/// libcurl refuses an option, or is out of memory. Without that option the request would be another one.
struct CurlOptionFailure: Error {
    let code: CInt

    static let outOfMemory = CurlOptionFailure(code: CInt(SPATE_CURLE_OUT_OF_MEMORY))
}

/// Sets a request's options on an easy handle that was reset.
enum CurlRequestOptions {
    static func apply(
        _ request: TransportRequest,
        _ forecast: Forecast,
        to easy: SpateCurlEasy
    ) throws(CurlOptionFailure) {
        try applyCommon(to: easy)
        try set(SPATE_CURLOPT_URL, request.url.text, on: easy)
        if let start = request.rangeStart {
            try set(SPATE_CURLOPT_RANGE, "\(start)-\(request.rangeEnd.map { "\($0 - 1)" } ?? "")", on: easy)
        }
        try set(SPATE_CURLOPT_CONNECTTIMEOUT_MS, request.settings.connectMilliseconds, on: easy)
        // Wait while another transfer connects, and share its connection if the server speaks HTTP/2.
        if forecast.prefersSharing { try set(SPATE_CURLOPT_PIPEWAIT, 1, on: easy) }
        // After one second without a request, libcurl closes a connection when it looks for one.
        if request.closesIdleConnections { try set(SPATE_CURLOPT_MAXAGE_CONN, 1, on: easy) }
        // libcurl before 8.7 refuses it if the handle still has the buffer of an earlier transfer, which will do.
        let buffer = ReceiveBuffer(for: request, forecast)
        _ = spate_curl_set_long(easy, CInt(SPATE_CURLOPT_BUFFERSIZE), buffer.rawValue)
        try applyOwn(of: request, to: easy)
    }

    /// Sets the options that all requests share, except the callbacks.
    private static func applyCommon(to easy: SpateCurlEasy) throws(CurlOptionFailure) {
        try set(SPATE_CURLOPT_PROTOCOLS, Int(SPATE_CURLPROTO_HTTP | SPATE_CURLPROTO_HTTPS), on: easy)
        try set(SPATE_CURLOPT_FOLLOWLOCATION, 0, on: easy)
        try set(SPATE_CURLOPT_HTTP09_ALLOWED, 0, on: easy)
        // `ChunkReader` decodes chunks: libcurl's decoder is too lenient.
        try set(SPATE_CURLOPT_HTTP_TRANSFER_DECODING, 0, on: easy)
        try set(SPATE_CURLOPT_SUPPRESS_CONNECT_HEADERS, 1, on: easy)
        try set(SPATE_CURLOPT_NOSIGNAL, 1, on: easy)
        _ = spate_curl_set_close_on_exec(easy)
        // Do not wait for the resolver's thread when a transfer is cancelled: a hanging lookup would block the loop.
        // libcurl before 7.87 does not know this option, and waits.
        _ = spate_curl_set_long(easy, CInt(SPATE_CURLOPT_QUICK_EXIT), 1)
    }

    /// Sets the options that few requests have.
    private static func applyOwn(of request: TransportRequest, to easy: SpateCurlEasy) throws(CurlOptionFailure) {
        if !request.speaksAnyVersion {
            try set(SPATE_CURLOPT_HTTP_VERSION, Int(SPATE_CURL_HTTP_VERSION_1_1), on: easy)
        }
        let settings = request.settings
        if let file = settings.certificateAuthorities {
            try set(SPATE_CURLOPT_CAINFO, file, on: easy)
            // The file replaces the system's certificates. Those may also be in a folder. libcurl refuses this only if it
            // does not know the option, and then nothing is set.
            _ = spate_curl_set_string(easy, CInt(SPATE_CURLOPT_CAPATH), nil)
        }
        if let files = settings.clientCertificate {
            // libcurl uses a connection, and a TLS session, only again for the same certificate.
            try set(SPATE_CURLOPT_SSLCERT, files.certificate, on: easy)
            if let key = files.key { try set(SPATE_CURLOPT_SSLKEY, key, on: easy) }
            // Without any, the TLS library would ask for it on the terminal.
            try set(SPATE_CURLOPT_KEYPASSWD, "", on: easy)
        }
        // Without a look into the environment. libcurl must not find a proxy, or an exception, that `UsedProxy` has not.
        if settings.isDirect || request.judgesAddresses { try set(SPATE_CURLOPT_PROXY, "", on: easy) }
        if settings.isDirect || settings.addresses != nil { try set(SPATE_CURLOPT_NOPROXY, "", on: easy) }
        if case .given(let proxy) = settings.proxy, !request.judgesAddresses {
            try set(SPATE_CURLOPT_PROXY, proxy.text, on: easy)
            if let credentials = proxy.credentials {
                try set(SPATE_CURLOPT_PROXYUSERNAME, credentials.user, on: easy)
                try set(SPATE_CURLOPT_PROXYPASSWORD, credentials.password, on: easy)
            }
        }
        if let interface = settings.networkInterface { try set(SPATE_CURLOPT_INTERFACE, interface, on: easy) }
        if let credentials = request.credentials {
            try set(SPATE_CURLOPT_HTTPAUTH, Int(SPATE_CURLAUTH_BASIC), on: easy)
            try set(SPATE_CURLOPT_USERNAME, credentials.user, on: easy)
            try set(SPATE_CURLOPT_PASSWORD, credentials.password, on: easy)
        }
    }

    /// Connect here, whatever the host and port of the URL are. libcurl reuses such a connection only for the same
    /// address. It ignores its resolver, and no cookie, credential or certificate is for another name.
    static func connectingTo(_ address: String) -> String { "::\(bracketed(address)):" }

    /// The entry for libcurl's cache of names.
    static func knownAddresses(of request: TransportRequest) -> String {
        let addresses = request.knownAddresses.map { bracketed($0) }.joined(separator: ",")
        return "\(request.url.host):\(request.url.port):\(addresses)"
    }

    private static func bracketed(_ address: String) -> String { address.contains(":") ? "[\(address)]" : address }

    private static func set(_ option: Int, _ value: Int, on easy: SpateCurlEasy) throws(CurlOptionFailure) {
        try check(spate_curl_set_long(easy, CInt(option), value))
    }

    private static func set(_ option: Int, _ value: String, on easy: SpateCurlEasy) throws(CurlOptionFailure) {
        let count = value.utf8.count
        // Use the string's own bytes: an optional would be copied first.
        let code = value.withCString { text in
            // A zero byte would cut it off.
            strlen(text) == count
                ? spate_curl_set_string(easy, CInt(option), text) : CInt(SPATE_CURLE_BAD_FUNCTION_ARGUMENT)
        }
        try check(code)
    }

    private static func check(_ code: CInt) throws(CurlOptionFailure) {
        if code != CInt(SPATE_CURLE_OK) { throw CurlOptionFailure(code: code) }
    }

    /// The header fields as libcurl takes them; `nil` if there are none. The caller owns the list.
    static func list(of fields: [(name: String, value: String)]) throws(CurlOptionFailure) -> OpaquePointer? {
        var list: OpaquePointer?
        for (name, value) in fields {
            guard let longer = append(name, value, to: list) else {
                if let list { spate_curl_slist_free(list) }
                throw .outOfMemory
            }
            list = longer
        }
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
    /// Rounded down and clamped to a C int. A caller's limit may be centuries away.
    var wholeMilliseconds: Int {
        Int(max(.zero, min(self, .seconds(2_000_000))).attoseconds / 1_000_000_000_000_000)
    }
}
