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
        let colon = UInt8(ascii: ":")
        let end = range.upperBound
        var index = range.lowerBound
        var groups = 0
        var hasGap = false
        if range.count >= 2, bytes[index] == colon, bytes[index + 1] == colon {
            hasGap = true
            index += 2
        }
        while index < end {
            let start = index
            while index < end, bytes[index].hexValue != nil { index += 1 }
            if index < end, bytes[index] == UInt8(ascii: ".") {
                guard isIPv4(bytes, start..<end) else { return false }
                groups += 2
                index = end
                break
            }
            guard (1...4).contains(index - start) else { return false }
            groups += 1
            if index == end { break }
            guard bytes[index] == colon, index + 1 < end else { return false }
            index += 1
            if bytes[index] == colon {
                guard !hasGap else { return false }
                hasGap = true
                index += 1
            }
        }
        return hasGap ? groups <= 7 : groups == 8
    }

    private static func isIPv4(_ bytes: Span<UInt8>, _ range: Range<Int>) -> Bool {
        var parts = 1
        var digits = 0
        var value = 0
        for index in range {
            if bytes[index] == UInt8(ascii: ".") {
                guard digits > 0 else { return false }
                parts += 1
                digits = 0
                value = 0
            } else {
                // Other parsers read a leading zero as octal.
                guard bytes[index].isDigit, digits == 0 || value > 0 else { return false }
                value = value * 10 + Int(bytes[index] &- 0x30)
                digits += 1
                guard value <= 255 else { return false }
            }
        }
        return parts == 4 && digits > 0
    }
}
