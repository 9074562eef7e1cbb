import Glibc

/// The IPv6 address between the brackets of a URL's host.
enum IPv6Literal {
    /// Whether `range` is an IPv6 address, optionally with a zone after `%` or `%25`.
    static func isValid(_ bytes: Span<UInt8>, _ range: Range<Int>) -> Bool {
        guard let mark = zoneMark(bytes, range) else { return isAddress(bytes, range) }
        guard isAddress(bytes, range.lowerBound..<mark.lowerBound) else { return false }
        // Interface names have at most 15 bytes, and libcurl accepts no more.
        let zone = mark.upperBound..<range.upperBound
        return (1...15).contains(zone.count) && zone.allSatisfy { bytes[$0].isUnreserved }
    }

    /// The range of the `%` or `%25` before a zone. `%25` is always the mark, never a bare `%` and zone 25, because
    /// libcurl would see no zone there.
    static func zoneMark(_ bytes: Span<UInt8>, _ range: Range<Int>) -> Range<Int>? {
        guard let percent = range.first(where: { bytes[$0] == UInt8(ascii: "%") }) else { return nil }
        let isEscaped =
            range.upperBound - percent >= 3 && bytes[percent + 1] == UInt8(ascii: "2")
            && bytes[percent + 2] == UInt8(ascii: "5")
        return percent..<percent + (isEscaped ? 3 : 1)
    }

    private static func isAddress(_ bytes: Span<UInt8>, _ range: Range<Int>) -> Bool {
        guard let text = bytes.extracting(range).text else { return false }
        // inet_pton(3) rejects an IPv4 part with leading zeros, which other parsers read as octal.
        var address = in6_addr()
        return inet_pton(AF_INET6, text, &address) == 1
    }
}
