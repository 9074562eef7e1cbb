import CSpateCurl
import SpateHTTPSyntax

/// A libcurl handle, with the memory that libcurl points to. It serves one transfer after another.
///
/// It is reset in between. One request's options must not reach the next, least of all credentials. And libcurl (before
/// 8.17) counts over all transfers since a reset how often it repeated a request whose connection was lost, and gives
/// up after five. A reset costs 4 % of the instructions of a small file.
final class CurlHandle {
    let easy: SpateCurlEasy
    let loop: LoopCommons
    /// The current transfer; `nil` between two.
    var transfer: CurlTransfer?
    private let url: CurlURL
    /// The header fields, and where to connect.
    private var lists: [OpaquePointer] = []
    private let errorBuffer = UnsafeMutableBufferPointer<CChar>.allocate(capacity: Int(CInt(SPATE_CURL_ERROR_SIZE)))

    /// `nil` if out of memory.
    init?(loop: LoopCommons) {
        errorBuffer.initialize(repeating: 0)
        guard let url = CurlURL(), let easy = spate_curl_easy_init() else {
            errorBuffer.deallocate()
            return nil
        }
        self.url = url
        self.easy = easy
        self.loop = loop
    }

    deinit {
        spate_curl_easy_cleanup(easy)
        freeLists()
        errorBuffer.deallocate()
    }

    /// What libcurl says about a failure; empty if it says nothing.
    var errorText: String { errorBuffer.baseAddress.map { String(cString: $0) } ?? "" }

    /// Takes a transfer, and sets the options of its request. The caller must retain this object until libcurl is done.
    ///
    /// After a failure the transfer must not run.
    func take(
        _ transfer: consuming CurlTransfer,
        _ request: TransportRequest,
        _ forecast: Forecast
    ) throws(CurlOptionFailure) {
        self.transfer = consume transfer
        errorBuffer[0] = 0
        set(SPATE_CURLOPT_ERRORBUFFER, errorBuffer.baseAddress.map { UnsafeMutableRawPointer($0) })
        set(SPATE_CURLOPT_PRIVATE, context)
        set(SPATE_CURLOPT_HEADERDATA, context)
        set(SPATE_CURLOPT_WRITEDATA, context)
        setReceivers()
        try CurlRequestOptions.apply(request, forecast, to: easy)
        if request.judgesAddresses { judgeAddresses() }
        // Saves libcurl reading the text of a plain URL. It still needs the text, to repeat a request on a new connection.
        if request.url.isPlain, url.set(request.url) { set(SPATE_CURLOPT_CURLU, url.handle) }
        if let address = request.address {
            set(SPATE_CURLOPT_CONNECT_TO, try hostList(CurlRequestOptions.connectingTo(address)))
        }
        if !request.knownAddresses.isEmpty {
            set(SPATE_CURLOPT_RESOLVE, try hostList(CurlRequestOptions.knownAddresses(of: request)))
        }
        if let fields = try CurlRequestOptions.list(of: request.fields) {
            lists.append(fields)
            _ = spate_curl_set_fields(easy, fields)
        }
    }

    /// Uses none of the connections that are there.
    func forceConnection() {
        _ = spate_curl_set_long(easy, CInt(SPATE_CURLOPT_FRESH_CONNECT), 1)
    }

    /// Closes the connection after the transfer.
    func forbidReuse() {
        _ = spate_curl_set_long(easy, CInt(SPATE_CURLOPT_FORBID_REUSE), 1)
    }

    /// Prepares the handle for another transfer. Call this after the handle has left the multi handle.
    func recycle() {
        transfer = nil
        spate_curl_easy_reset(easy)
        freeLists()
    }

    private func hostList(_ text: String) throws(CurlOptionFailure) -> UnsafeMutableRawPointer {
        guard let list = spate_curl_slist_append(nil, text) else { throw .outOfMemory }
        lists.append(list)
        return UnsafeMutableRawPointer(list)
    }

    private func freeLists() {
        for list in lists { spate_curl_slist_free(list) }
        lists.removeAll(keepingCapacity: true)
    }

    private func set(_ option: Int, _ value: UnsafeMutableRawPointer?) {
        _ = spate_curl_set_pointer(easy, CInt(option), value)
    }
}
