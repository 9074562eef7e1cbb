/// The ranges of an http or https URL's parts, each validated.
///
/// The authority is parsed more strictly than in browsers, so that no other parser can see another host in the text.
struct HTTPURLParts {
    let scheme: HTTPURL.Scheme
    let userInfo: Range<Int>?
    /// Including the brackets of an IPv6 address.
    let host: Range<Int>
    /// `nil` if the URL has none.
    let port: UInt16?
    let path: Range<Int>
    /// Including its question mark; empty if the URL has no query.
    let query: Range<Int>

    init(_ bytes: Span<UInt8>) throws(HTTPURLError) {
        for index in bytes.indices where bytes[index].isControl { throw .controlCharacter }
        guard let colon = Self.schemeEnd(in: bytes) else { throw .notAURL }
        scheme = try Self.scheme(bytes, 0..<colon)

        let start = colon + 3
        guard start <= bytes.count, bytes[colon + 1] == UInt8(ascii: "/"), bytes[colon + 2] == UInt8(ascii: "/") else {
            throw .missingHost
        }
        let authorityEnd =
            Self.first(in: bytes, start..<bytes.count) {
                $0 == UInt8(ascii: "/") || $0 == UInt8(ascii: "?") || $0 == UInt8(ascii: "#")
            } ?? bytes.count
        let hostStart: Int
        if let at = Self.first(in: bytes, start..<authorityEnd, where: { $0 == UInt8(ascii: "@") }) {
            userInfo = start..<at
            hostStart = at + 1
        } else {
            userInfo = nil
            hostStart = start
        }
        let hostEnd = try Self.hostEnd(bytes, hostStart..<authorityEnd)
        host = hostStart..<hostEnd
        port = try Self.port(bytes, hostEnd..<authorityEnd)

        let end = Self.first(in: bytes, authorityEnd..<bytes.count) { $0 == UInt8(ascii: "#") } ?? bytes.count
        let pathEnd = Self.first(in: bytes, authorityEnd..<end) { $0 == UInt8(ascii: "?") } ?? end
        path = authorityEnd..<pathEnd
        query = pathEnd..<end
    }

    /// The index of the colon after the scheme; `nil` if the text does not begin with a scheme.
    static func schemeEnd(in bytes: Span<UInt8>) -> Int? {
        for index in bytes.indices {
            let byte = bytes[index]
            if byte.isLetter { continue }
            if index == 0 { return nil }
            if byte == UInt8(ascii: ":") { return index }
            let mayFollow =
                byte.isDigit || byte == UInt8(ascii: "+") || byte == UInt8(ascii: "-") || byte == UInt8(ascii: ".")
            if !mayFollow { return nil }
        }
        return nil
    }

    private static func scheme(_ bytes: Span<UInt8>, _ range: Range<Int>) throws(HTTPURLError) -> HTTPURL.Scheme {
        let scheme = bytes.extracting(range)
        if scheme.spells("http") { return .http }
        if scheme.spells("https") { return .https }
        var name = ""
        for index in range.prefix(32) { name.unicodeScalars.append(Unicode.Scalar(bytes[index].lowercased)) }
        throw .unsupportedScheme(name)
    }

    private static func hostEnd(_ bytes: Span<UInt8>, _ range: Range<Int>) throws(HTTPURLError) -> Int {
        guard let head = range.first, bytes[head] != UInt8(ascii: ":") else { throw .missingHost }
        if bytes[head] == UInt8(ascii: "[") {
            guard let close = first(in: bytes, range, where: { $0 == UInt8(ascii: "]") }),
                IPv6Literal.isValid(bytes, head + 1..<close)
            else { throw .invalidHost }
            return close + 1
        }
        let end = first(in: bytes, range) { $0 == UInt8(ascii: ":") } ?? range.upperBound
        guard first(in: bytes, head..<end, where: { !$0.isUnreserved }) == nil else { throw .invalidHost }
        return end
    }

    private static func port(_ bytes: Span<UInt8>, _ range: Range<Int>) throws(HTTPURLError) -> UInt16? {
        guard let head = range.first else { return nil }
        // Anything but a colon after an IPv6 address is an error, and so is a second at sign.
        guard bytes[head] == UInt8(ascii: ":") else { throw .invalidHost }
        var number = 0
        for index in range.dropFirst() {
            if bytes[index] == UInt8(ascii: "@") { throw .invalidHost }
            guard bytes[index].isDigit else { throw .invalidPort }
            number = number * 10 + Int(bytes[index] &- 0x30)
            guard number <= UInt16.max else { throw .invalidPort }
        }
        if range.count == 1 { return nil }
        // Port 0 cannot be connected to.
        guard number > 0 else { throw .invalidPort }
        return UInt16(number)
    }

    private static func first(in bytes: Span<UInt8>, _ range: Range<Int>, where matches: (UInt8) -> Bool) -> Int? {
        var index = range.lowerBound
        while index < range.upperBound {
            if matches(bytes[index]) { return index }
            index += 1
        }
        return nil
    }
}
