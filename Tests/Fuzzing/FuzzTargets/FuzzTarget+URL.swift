import SpateHTTPSyntax

extension FuzzTarget {
    /// A URL; references to resolve against it, one per line.
    static let url = FuzzTarget(name: "url") { bytes throws(BrokenClaim) in
        var lines = InputLines(bytes)
        guard let url = try? HTTPURL(lines.nextText()) else { return }
        try checkCanonical(url)
        try require((try? url.resolving(""))?.text == url.text, "the empty reference changes \(url)")
        for line in lines.remaining().prefix(4) {
            let reference = String(decoding: line, as: UTF8.self)
            guard let target = try? url.resolving(reference) else { continue }
            try checkCanonical(target)
            if let absolute = try? HTTPURL(reference) {
                try require(absolute.text == target.text, "\(reference) resolves to another URL at \(url)")
            }
            guard let carried = target.credentials, !reference.contains("@") else { continue }
            try require(target.origin == url.origin, "credentials go from \(url) to \(target)")
            try require(carried == url.credentials, "credentials change from \(url) to \(target)")
        }
    }

    static func checkCanonical(_ url: HTTPURL) throws(BrokenClaim) {
        try checkAgainstCurl(url)
        let text = url.text
        try require(text.utf8.allSatisfy { (0x21...0x7E).contains($0) && !#""<>\^`{|}#"#.utf8.contains($0) }, text)
        try require(text.utf8.count <= HTTPURL.maximumLength, "\(text.utf8.count) bytes of URL")
        guard let again = try? HTTPURL(text) else { throw BrokenClaim(description: "\(text) is refused") }
        try require(again.text == text && again == url, "\(text) becomes \(again.text)")
        try require((again.scheme, again.host, again.port) == (url.scheme, url.host, url.port), "the server of \(text)")
        try require(again.origin == url.origin && again.credentials == nil, "\(text) keeps credentials")
        let parts = PlainURL(text)
        try require(parts.scheme == url.scheme.rawValue, "\(parts.scheme) is the scheme of \(text)")
        try require(parts.host == url.host && !parts.host.isEmpty, "\(parts.host) is the host of \(text)")
        try require(parts.port ?? url.scheme.defaultPort == url.port, "\(url.port) is not the port of \(text)")
        try require(parts.port != url.scheme.defaultPort && (1...65_535).contains(url.port), "the port of \(text)")
        let segments = parts.path.split(separator: "/", omittingEmptySubsequences: false)
        try require(parts.path.hasPrefix("/") && !segments.contains { $0 == "." || $0 == ".." }, "the path of \(text)")
        try require(url.origin.text + parts.path + parts.query == text, "\(text) has other parts")
        try require(!url.shown.contains("?") || url.shown.hasSuffix("?…"), "\(url.shown) is shown")
    }
}
