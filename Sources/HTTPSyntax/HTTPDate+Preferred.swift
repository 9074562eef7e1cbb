extension HTTPDate {
    /// Reads the preferred form, `Sun, 06 Nov 1994 08:49:37 GMT`, which nearly all servers send; `nil` for anything
    /// else, and for a leap second. Reads in place, without a copy: every response has two dates.
    init?(preferred octets: Span<UInt8>) {
        guard octets.count == 29 else { return nil }
        func has(_ byte: Unicode.Scalar, at index: Int) -> Bool { octets[index] == UInt8(ascii: byte) }
        guard has(",", at: 3), has(" ", at: 4), has(" ", at: 7), has(" ", at: 11), has(" ", at: 16), has(":", at: 19),
            has(":", at: 22), has(" ", at: 25), has("G", at: 26), has("M", at: 27), has("T", at: 28)
        else { return nil }
        guard let month = Self.monthCodes.firstIndex(of: Self.code(octets.extracting(8..<11))),
            let day = Int64(digits: octets.extracting(5..<7)), let year = Int64(digits: octets.extracting(12..<16)),
            let hour = Int64(digits: octets.extracting(17..<19)),
            let minute = Int64(digits: octets.extracting(20..<22)),
            let second = Int64(digits: octets.extracting(23..<25)), hour < 24, minute < 60, second < 60
        else { return nil }
        let date = CivilDate(year: Int(year), month: month + 1, day: Int(day))
        guard date.exists else { return nil }
        let days = date.daysSince1970
        let weekday = Self.weekdayCodes[Self.weekdayIndex(daysSince1970: days)]
        guard Self.code(octets.extracting(..<3)) == weekday else { return nil }
        self.init(secondsSince1970: Int64(days) * 86_400 + hour * 3_600 + minute * 60 + second)
    }

    /// The first three letters of a name as a number.
    private static func code(_ name: Span<UInt8>) -> UInt32 {
        UInt32(name[0]) << 16 | UInt32(name[1]) << 8 | UInt32(name[2])
    }

    private static let monthCodes = months.map { code($0.utf8.span) }
    private static let weekdayCodes = weekdays.map { code($0.utf8.span) }
}
