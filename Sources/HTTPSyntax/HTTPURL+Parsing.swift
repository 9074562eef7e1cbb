extension HTTPURL {
    /// Reads an absolute URL.
    ///
    /// Characters that are not allowed in a path or a query are escaped, as browsers do it. Throws if another parser
    /// could see another host in the text, or if it has a control character.
    package init(_ text: String) throws(HTTPURLError) {
        let bytes = text.utf8.span
        guard bytes.count <= Self.maximumLength else { throw .tooLong }
        let parts = try HTTPURLParts(bytes)
        if Self.isCanonical(bytes, parts) {
            self.init(
                canonical: text,
                hostEnd: parts.host.upperBound,
                port: parts.port ?? UInt16(parts.scheme.defaultPort),
                path: parts.path,
                credentials: nil
            )
            return
        }
        var credentials: Credentials?
        if let userInfo = parts.userInfo, !userInfo.isEmpty {
            var written: [UInt8] = []
            for index in userInfo { written.append(bytes[index]) }
            credentials = try Credentials(userInfo: written)
        }

        var output: [UInt8] = []
        output.reserveCapacity(bytes.count + 8)
        output.append(contentsOf: parts.scheme == .http ? "http://".utf8 : "https://".utf8)
        Self.append(host: parts.host, of: bytes, to: &output)
        let hostEnd = output.count
        let defaultPort = UInt16(parts.scheme.defaultPort)
        let port = parts.port ?? defaultPort
        if port != defaultPort {
            output.append(UInt8(ascii: ":"))
            output.append(contentsOf: String(port).utf8)
        }
        let pathStart = output.count
        Self.append(path: parts.path, of: bytes, to: &output)
        let pathEnd = output.count
        for index in parts.query { Self.append(escaped: bytes[index], to: &output) }
        guard output.count <= Self.maximumLength else { throw .tooLong }

        self.init(
            canonical: String(decoding: output, as: UTF8.self),
            hostEnd: hostEnd,
            port: port,
            path: pathStart..<pathEnd,
            credentials: credentials
        )
    }

    /// Whether the text is already in canonical form, as nearly every URL is. It is then used as it is and shares the
    /// caller's storage.
    private static func isCanonical(_ bytes: Span<UInt8>, _ parts: HTTPURLParts) -> Bool {
        let dot = UInt8(ascii: ".")
        let host = parts.host
        let path = parts.path
        guard parts.userInfo == nil, bytes[host.lowerBound] != UInt8(ascii: "["), !path.isEmpty,
            parts.query.upperBound == bytes.count
        else { return false }
        if host.upperBound < path.lowerBound {
            // There is a port, or a colon without one.
            guard let port = parts.port, port != parts.scheme.defaultPort,
                bytes[host.upperBound + 1] != UInt8(ascii: "0")
            else { return false }
        }
        for index in 0..<host.upperBound where bytes[index] != bytes[index].lowercased { return false }
        for index in path where bytes[index] == dot && bytes[index - 1] == UInt8(ascii: "/") { return false }
        for index in path.lowerBound..<parts.query.upperBound where mustBeEscaped(bytes[index]) { return false }
        return true
    }

    private static func append(host: Range<Int>, of bytes: Span<UInt8>, to output: inout [UInt8]) {
        guard bytes[host.lowerBound] == UInt8(ascii: "["), let mark = IPv6Literal.zoneMark(bytes, host) else {
            for index in host { output.append(bytes[index].lowercased) }
            return
        }
        for index in host.lowerBound..<mark.lowerBound { output.append(bytes[index].lowercased) }
        output.append(contentsOf: "%25".utf8)
        // The zone names a network interface, whose case matters.
        for index in mark.upperBound..<host.upperBound { output.append(bytes[index]) }
    }

    /// Appends a path without its `.` and `..` segments (RFC 3986, 5.2.4), escaped.
    private static func append(path: Range<Int>, of bytes: Span<UInt8>, to output: inout [UInt8]) {
        let slash = UInt8(ascii: "/")
        let root = output.count
        output.append(slash)
        // Invariant: the output ends in a slash before each segment.
        var start = path.lowerBound + 1
        while start <= path.upperBound {
            var end = start
            while end < path.upperBound, bytes[end] != slash { end += 1 }
            let dots = end - start <= 2 && (start..<end).allSatisfy { bytes[$0] == UInt8(ascii: ".") } ? end - start : 0
            if dots == 2, output.count > root + 1 {
                output.removeLast()
                while output.last != slash { output.removeLast() }
            } else if dots == 0 {
                for index in start..<end { append(escaped: bytes[index], to: &output) }
                if end < path.upperBound { output.append(slash) }
            }
            start = end + 1
        }
    }

    private static func append(escaped byte: UInt8, to output: inout [UInt8]) {
        guard mustBeEscaped(byte) else { return output.append(byte) }
        // Two digits, because there are no control characters.
        output.append(contentsOf: "%\(String(byte, radix: 16, uppercase: true))".utf8)
    }

    private static func mustBeEscaped(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: " "), UInt8(ascii: "\""), UInt8(ascii: "<"), UInt8(ascii: ">"), UInt8(ascii: "\\"),
            UInt8(ascii: "^"), UInt8(ascii: "`"), UInt8(ascii: "{"), UInt8(ascii: "|"), UInt8(ascii: "}"):
            true
        default: byte >= 0x80
        }
    }
}
