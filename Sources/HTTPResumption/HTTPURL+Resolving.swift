extension HTTPURL {
    /// The URL that `reference` means when it is found at this one: RFC 3986, section 5.2, its strict variant.
    ///
    /// Credentials written in the reference are the result's. This URL's own go along within its origin and never
    /// out of it.
    package func resolving(_ reference: String) throws(HTTPURLError) -> HTTPURL {
        let target = try HTTPURL(absoluteText(of: reference))
        guard target.credentials == nil, let credentials, isSameOrigin(as: target) else { return target }
        return target.withCredentials(credentials)
    }

    private func absoluteText(of reference: String) -> String {
        if HTTPURLParts.schemeEnd(in: reference.utf8.span) != nil { return reference }
        if reference.utf8.starts(with: "//".utf8) { return "\(scheme.rawValue):\(reference)" }
        switch reference.utf8.first {
        case UInt8(ascii: "/"): return originText + reference
        case UInt8(ascii: "?"): return originText + path + reference
        case UInt8(ascii: "#"), nil: return originText + path + query + reference
        default: return originText + directory + reference
        }
    }

    /// The path up to its last slash and with it.
    private var directory: String {
        let path = path
        return path.utf8.lastIndex(of: UInt8(ascii: "/")).map { String(path[...$0]) } ?? "/"
    }
}
