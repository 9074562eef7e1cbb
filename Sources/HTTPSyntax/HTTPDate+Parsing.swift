extension HTTPDate {
    /// Reads the three forms of RFC 9110, section 5.6.7; `nil` for anything else.
    ///
    /// The day of the week must match the date. Two-digit years mean 1970 to 2069. A leap second counts as the second
    /// before it.
    package init?(_ text: String) {
        self.init(Array(text.utf8)[...])
    }

    package init?(_ octets: ArraySlice<UInt8>) {
        if let date = HTTPDate(preferred: octets.span) {
            self = date
        } else if let text = Self.preferredForm(of: HTTPFields.text(octets)) {
            self.init(preferred: text.utf8.span)
        } else {
            return nil
        }
    }

    /// Rewrites the two obsolete forms. Anything else may become another text that is no date.
    private static func preferredForm(of text: String) -> String? {
        let words = text.split(separator: " ", omittingEmptySubsequences: false)
        if words.count == 4 {
            // "Sunday, 06-Nov-94 08:49:37 GMT"
            let date = words[1].split(separator: "-", omittingEmptySubsequences: false)
            guard date.count == 3, let year = Int(date[2]), let name = weekdays.first(where: { $0 + "," == words[0] })
            else { return nil }
            let century = year < 70 ? "20" : "19"
            return "\(name.prefix(3)), \(date[0]) \(date[1]) \(century)\(date[2]) \(words[2]) \(words[3])"
        }
        // "Sun Nov  6 08:49:37 1994"
        guard words.count == 5 || words.count == 6 && words[2].isEmpty else { return nil }
        let day = words.count == 5 ? words[2] : "0" + words[3]
        return "\(words[0]), \(day) \(words[1]) \(words[words.count - 1]) \(words[words.count - 2]) GMT"
    }

    /// Reads `Sun, 06 Nov 1994 08:49:37 GMT`. In place, without a copy: every response has two dates.
    private init?(preferred octets: Span<UInt8>) {
        guard octets.count == 29 else { return nil }
        func has(_ byte: Unicode.Scalar, at index: Int) -> Bool { octets[index] == UInt8(ascii: byte) }
        guard has(",", at: 3), has(" ", at: 4), has(" ", at: 7), has(" ", at: 11), has(" ", at: 16), has(":", at: 19),
            has(":", at: 22), has(" ", at: 25), has("G", at: 26), has("M", at: 27), has("T", at: 28)
        else { return nil }
        guard let month = Self.monthCodes.firstIndex(of: Self.code(octets.extracting(8..<11))),
            let day = Int64(digits: octets.extracting(5..<7)), let year = Int64(digits: octets.extracting(12..<16)),
            let hour = Int64(digits: octets.extracting(17..<19)),
            let minute = Int64(digits: octets.extracting(20..<22)),
            let second = Int64(digits: octets.extracting(23..<25)), hour < 24, minute < 60, second <= 60
        else { return nil }
        let date = CivilDate(year: Int(year), month: month + 1, day: Int(day))
        guard date.exists else { return nil }
        let days = date.daysSince1970
        let weekday = Self.weekdayCodes[Self.weekdayIndex(daysSince1970: days)]
        guard Self.code(octets.extracting(..<3)) == weekday else { return nil }
        self.init(secondsSince1970: Int64(days) * 86_400 + hour * 3_600 + minute * 60 + min(second, 59))
    }

    /// The first three letters of a name as a number.
    private static func code(_ name: Span<UInt8>) -> UInt32 {
        UInt32(name[0]) << 16 | UInt32(name[1]) << 8 | UInt32(name[2])
    }

    private static let monthCodes = months.map { code($0.utf8.span) }
    private static let weekdayCodes = weekdays.map { code($0.utf8.span) }
}
