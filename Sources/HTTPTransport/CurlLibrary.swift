import CCurl

/// The library as a whole.
enum CurlLibrary {
    private static let isLoaded: Bool = spate_curl_global_init() == CInt(SPATE_CURLE_OK)

    /// Prepares libcurl, once for the process.
    static func load() {
        precondition(isLoaded, "libcurl could not be initialised")
    }
}
