import Glibc
import SpateHTTPSyntax

extension FuzzTarget {
    /// libcurl must connect to the same server for this URL, and request the same target.
    static func checkAgainstCurl(_ url: HTTPURL) throws(BrokenClaim) {
        guard let other = CurlURL(url.text) else { return }
        let text = url.text
        try require(other.scheme == url.scheme.rawValue, "to libcurl \(other.scheme) is the scheme of \(text)")
        try require(other.port == url.port, "to libcurl \(other.port) is the port of \(text)")
        try require(other.user == nil, "to libcurl \(text) has a user")
        try require(isSameHost(other, url.host), "to libcurl \(other.host) is the host of \(text)")
        let asked = other.path + (other.query.map { "?" + $0 } ?? "")
        let written = String(text.dropFirst(url.origin.text.count))
        // libcurl drops an empty query.
        try require(asked == written || asked + "?" == written, "libcurl asks for \(asked) of \(text)")
    }

    /// libcurl normalises addresses: `0::1` to `::1`, 127.1 to 127.0.0.1.
    private static func isSameHost(_ other: CurlURL, _ host: String) -> Bool {
        if host == other.host { return true }
        if !host.contains(":") {
            var parsed = in_addr()
            return inet_aton(host, &parsed) == 1 && inet_addr(other.host) == parsed.s_addr
        }
        let pieces = host.split(separator: "%", maxSplits: 1)
        let zone = pieces.count > 1 ? String(pieces[1].dropFirst(2)) : nil
        let spelled = other.host.dropFirst().dropLast()
        return zone == other.zone && address(String(pieces[0])) == address(String(spelled))
    }

    private static func address(_ text: String) -> [UInt8]? {
        var bytes = [UInt8](repeating: 0, count: 16)
        return inet_pton(AF_INET6, text, &bytes) == 1 ? bytes : nil
    }
}
