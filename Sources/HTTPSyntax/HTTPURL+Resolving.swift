extension HTTPURL {
    /// Resolves a reference against this URL (RFC 3986, section 5.2, strict).
    ///
    /// The result has the reference's credentials or, within the same origin, else this URL's.
    package func resolving(_ reference: String) throws(HTTPURLError) -> HTTPURL {
        let target = try HTTPURL(absoluteText(of: reference))
        guard target.credentials == nil, let credentials, origin == target.origin else { return target }
        return target.withCredentials(credentials)
    }

    private func absoluteText(of reference: String) -> String {
        if HTTPURLParts.schemeEnd(in: reference.utf8.span) != nil { return reference }
        if reference.utf8.starts(with: "//".utf8) { return "\(scheme.rawValue):\(reference)" }
        switch reference.utf8.first {
        case UInt8(ascii: "/"): return origin.text + reference
        case UInt8(ascii: "?"): return origin.text + path + reference
        case UInt8(ascii: "#"), nil: return origin.text + path + query + reference
        default: return origin.text + directory + reference
        }
    }

    /// The path up to and including its last slash.
    private var directory: String {
        let path = path
        return path.utf8.lastIndex(of: UInt8(ascii: "/")).map { String(path[...$0]) } ?? "/"
    }
}
