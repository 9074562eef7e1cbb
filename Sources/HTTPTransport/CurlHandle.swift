import CSpateCurl
import SpateHTTPSyntax

/// A libcurl handle, with the memory that libcurl points to. It serves one transfer after another.
///
/// One request's options must not reach the next, least of all credentials. So the handle is reset in between, unless
/// it has only options that all requests share or that each request sets again.
final class CurlHandle {
    let easy: SpateCurlEasy
    let loop: LoopCommons
    /// The current transfer; `nil` between two.
    var transfer: CurlTransfer?
    /// Whether the shared options are set.
    private var isPrepared = false
    /// Whether an option is set that the next request may not set again.
    private var needsReset = false
    private var prefersSharing = false
    /// `nil` for libcurl's own choice.
    private var receiveBuffer: ReceiveBuffer?
    private var isDirect = false
    private let url: CurlURL
    /// Whether libcurl takes the URL from ``url``.
    private var usesParts = false
    private var fields: [(name: String, value: String)] = []
    /// The same fields for libcurl.
    private var fieldList: OpaquePointer?
    /// Where to connect, for libcurl. Few requests say so.
    private var hostLists: [OpaquePointer] = []
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
        freeFields()
        freeHostLists()
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
        do throws(CurlOptionFailure) {
            try setOptions(of: request, forecast)
        } catch {
            needsReset = true
            throw error
        }
    }

    private func setOptions(of request: TransportRequest, _ forecast: Forecast) throws(CurlOptionFailure) {
        if !isPrepared {
            try CurlRequestOptions.applyCommon(to: easy)
            set(SPATE_CURLOPT_ERRORBUFFER, errorBuffer.baseAddress.map { UnsafeMutableRawPointer($0) })
            set(SPATE_CURLOPT_PRIVATE, context)
            set(SPATE_CURLOPT_HEADERDATA, context)
            set(SPATE_CURLOPT_WRITEDATA, context)
            setReceivers()
            isPrepared = true
        }
        try CurlRequestOptions.apply(request, to: easy)
        setParts(of: request.url)
        if request.settings.isDirect != isDirect {
            isDirect.toggle()
            try CurlRequestOptions.isDirect(isDirect, on: easy)
        }
        if try CurlRequestOptions.applyOwn(of: request, to: easy) { needsReset = true }
        if let address = request.address {
            try setHosts(SPATE_CURLOPT_CONNECT_TO, CurlRequestOptions.connectingTo(address))
        }
        if !request.knownAddresses.isEmpty {
            try setHosts(SPATE_CURLOPT_RESOLVE, CurlRequestOptions.knownAddresses(of: request))
        }
        if forecast.prefersSharing != prefersSharing {
            prefersSharing.toggle()
            try CurlRequestOptions.prefersSharing(prefersSharing, on: easy)
        }
        let buffer = ReceiveBuffer(for: request, forecast)
        if buffer != receiveBuffer {
            receiveBuffer = buffer
            CurlRequestOptions.receiveBuffer(buffer, on: easy)
        }
        try setFields(request.fields)
    }

    /// Closes the connection after the transfer.
    func forbidReuse() {
        needsReset = true
        _ = spate_curl_set_long(easy, CInt(SPATE_CURLOPT_FORBID_REUSE), 1)
    }

    /// Calls the observer during the transfer, and before libcurl closes the connection.
    func observe(_ observer: SpateCurlObserver) {
        needsReset = true
        set(SPATE_CURLOPT_XFERINFODATA, context)
        _ = spate_curl_set_observer(easy, observer)
        _ = spate_curl_set_long(easy, CInt(SPATE_CURLOPT_NOPROGRESS), 0)
    }

    /// Prepares the handle for another transfer. Call this after the handle has left the multi handle.
    func recycle() {
        transfer = nil
        guard needsReset else { return }
        spate_curl_easy_reset(easy)
        freeFields()
        freeHostLists()
        (isPrepared, needsReset, prefersSharing, isDirect, usesParts) = (false, false, false, false, false)
        receiveBuffer = nil
    }

    /// Saves libcurl reading the text of a plain URL. It still needs the text, to repeat a request on a new connection.
    private func setParts(of url: HTTPURL) {
        let hasParts = url.isPlain && self.url.set(url)
        if hasParts != usesParts { set(SPATE_CURLOPT_CURLU, hasParts ? self.url.handle : nil) }
        usesParts = hasParts
    }

    /// Most requests have the same fields as the previous one, so libcurl's list is reused.
    private func setFields(_ new: [(name: String, value: String)]) throws(CurlOptionFailure) {
        if fieldList != nil, new.count == fields.count,
            new.indices.allSatisfy({ new[$0].name == fields[$0].name && new[$0].value == fields[$0].value })
        {
            return
        }
        freeFields()
        fieldList = try CurlRequestOptions.list(of: new)
        fields = new
        _ = spate_curl_set_fields(easy, fieldList)
    }

    private func freeFields() {
        if let fieldList { spate_curl_slist_free(fieldList) }
        (fieldList, fields) = (nil, [])
    }

    private func setHosts(_ option: Int, _ text: String) throws(CurlOptionFailure) {
        guard let list = spate_curl_slist_append(nil, text) else { throw .outOfMemory }
        needsReset = true
        hostLists.append(list)
        set(option, UnsafeMutableRawPointer(list))
    }

    private func freeHostLists() {
        if hostLists.isEmpty { return }
        for list in hostLists { spate_curl_slist_free(list) }
        hostLists = []
    }

    private func set(_ option: Int, _ value: UnsafeMutableRawPointer?) {
        _ = spate_curl_set_pointer(easy, CInt(option), value)
    }
}
