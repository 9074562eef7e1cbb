import CSpateCurlURL

/// The parts of a URL as libcurl parses them.
struct CurlURL {
    let scheme: String
    let user: String?
    /// In libcurl's spelling. An IPv6 address has brackets and no zone.
    let host: String
    let zone: String?
    let port: Int
    let path: String
    let query: String?

    /// `nil` if libcurl rejects the URL.
    init?(_ text: String) {
        let handle = curl_url()
        defer { curl_url_cleanup(handle) }
        guard curl_url_set(handle, CInt(SPATE_CURLUPART_URL), text, 0) == 0 else { return nil }
        func part(_ part: Int) -> String? {
            var text: UnsafeMutablePointer<CChar>?
            guard curl_url_get(handle, CInt(part), &text, CUnsignedInt(SPATE_CURLU_DEFAULT_PORT)) == 0, let text else {
                return nil
            }
            defer { curl_free(text) }
            return String(cString: text)
        }
        scheme = part(Int(SPATE_CURLUPART_SCHEME)) ?? ""
        user = part(Int(SPATE_CURLUPART_USER))
        host = part(Int(SPATE_CURLUPART_HOST)) ?? ""
        zone = part(Int(SPATE_CURLUPART_ZONEID))
        port = part(Int(SPATE_CURLUPART_PORT)).flatMap { Int($0) } ?? 0
        path = part(Int(SPATE_CURLUPART_PATH)) ?? ""
        query = part(Int(SPATE_CURLUPART_QUERY))
    }
}
