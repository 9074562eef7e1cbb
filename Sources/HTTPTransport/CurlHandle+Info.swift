import CSpateCurl
import Glibc

/// What libcurl knows of the current transfer.
extension CurlHandle {
    /// The handle of a transfer that libcurl has ended.
    static func of(_ easy: SpateCurlEasy) -> CurlHandle? {
        var context: UnsafeMutableRawPointer?
        _ = spate_curl_get_pointer(easy, CInt(SPATE_CURLINFO_PRIVATE), &context)
        return context.map { Unmanaged<CurlHandle>.fromOpaque($0).takeUnretainedValue() }
    }

    /// Why the last call to connect failed.
    var systemReason: String? {
        let number = number(SPATE_CURLINFO_OS_ERRNO) ?? 0
        return number == 0 ? nil : String(cString: strerror(CInt(number)))
    }

    /// The address that this transfer is or was connected to; `nil` if it never was.
    var address: String? {
        var text: UnsafeMutableRawPointer?
        _ = spate_curl_get_pointer(easy, CInt(SPATE_CURLINFO_PRIMARY_IP), &text)
        let address = text.map { String(cString: $0.assumingMemoryBound(to: CChar.self)) }
        return address?.isEmpty ?? true ? nil : address
    }

    /// Whether this transfer opened a new connection.
    var hasOwnConnection: Bool { number(SPATE_CURLINFO_NUM_CONNECTS) ?? 0 > 0 }

    /// Whether the transfer runs over HTTP/2 or later, where a pause may stall other transfers, and even itself.
    var isMultiplexed: Bool { number(SPATE_CURLINFO_HTTP_VERSION) ?? 0 > SPATE_CURL_HTTP_VERSION_1_1 }

    /// How long connecting took; `nil` if there is no connection yet.
    var connectTime: Duration? {
        var microseconds: Int64 = 0
        _ = spate_curl_get_offset(easy, CInt(SPATE_CURLINFO_PRETRANSFER_TIME_T), &microseconds)
        return microseconds > 0 ? .microseconds(microseconds) : nil
    }

    /// `nil` if this libcurl does not know the number.
    func number(_ info: Int) -> Int? {
        var value = 0
        return spate_curl_get_long(easy, CInt(info), &value) == CInt(SPATE_CURLE_OK) ? value : nil
    }
}
