import CSpateCurl
import SpateHTTPSyntax

/// A URL in the parts that libcurl needs. From one URL to the next of the same origin only the path changes.
///
/// libcurl takes the text of each URL apart and writes it anew, which is an eighth of its work for a small file.
final class CurlURL {
    let handle: SpateCurlURL
    /// Of the URL that was set; `nil` before the first.
    private var origin: HTTPOrigin?

    /// `nil` if out of memory.
    init?() {
        guard let handle = spate_curl_url_init() else { return nil }
        self.handle = handle
    }

    deinit {
        spate_curl_url_cleanup(handle)
    }

    /// Sets a plain URL, without its credentials. False if libcurl cannot take it, and should read its text.
    func set(_ url: HTTPURL) -> Bool {
        if url.origin == origin { return set(SPATE_CURLUPART_PATH, url.text, from: url.pathOffset) }
        origin = nil
        guard set(SPATE_CURLUPART_URL, url.text, from: 0) else { return false }
        origin = url.origin.alone
        return true
    }

    private func set(_ part: Int, _ text: String, from start: Int) -> Bool {
        text.withCString { spate_curl_url_set(handle, CInt(part), $0 + start) } == CInt(SPATE_CURLUE_OK)
    }
}
