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
            return
        }
        var rest = octets
        let weekday = rest.readWord()
        let parsed =
            if !rest.skip(", ") {
                rest.readAsctime()
            } else if weekday.count == 3 {
                rest.readFixdate()
            } else {
                rest.readRFC850()
            }
        guard let (date, second) = parsed, rest.isEmpty, date.exists else { return nil }
        let days = date.daysSince1970
        let name = Self.weekday(daysSince1970: days)
        let isLong = weekday.count > 3 && octets.dropFirst(weekday.count).first == UInt8(ascii: ",")
        guard weekday.elementsEqual(name.utf8.prefix(isLong ? .max : 3)) else { return nil }
        self.init(secondsSince1970: Int64(days * 86_400 + second))
    }
}

extension ArraySlice<UInt8> {
    /// `06 Nov 1994 08:49:37 GMT`
    fileprivate mutating func readFixdate() -> (CivilDate, Int)? {
        guard let day = readNumber(2), skip(" "), let month = readMonth(), skip(" "), let year = readNumber(4),
            skip(" "), let second = readTime(), skip(" GMT")
        else { return nil }
        return (CivilDate(year: year, month: month, day: day), second)
    }

    /// `06-Nov-94 08:49:37 GMT`
    fileprivate mutating func readRFC850() -> (CivilDate, Int)? {
        guard let day = readNumber(2), skip("-"), let month = readMonth(), skip("-"), let year = readNumber(2),
            skip(" "), let second = readTime(), skip(" GMT")
        else { return nil }
        return (CivilDate(year: year < 70 ? 2000 + year : 1900 + year, month: month, day: day), second)
    }

    /// ` Nov  6 08:49:37 1994`
    fileprivate mutating func readAsctime() -> (CivilDate, Int)? {
        guard skip(" "), let month = readMonth(), skip(" "), let day = skip(" ") ? readNumber(1) : readNumber(2),
            skip(" "), let second = readTime(), skip(" "), let year = readNumber(4)
        else { return nil }
        return (CivilDate(year: year, month: month, day: day), second)
    }

    /// The second of the day.
    private mutating func readTime() -> Int? {
        guard let hour = readNumber(2), skip(":"), let minute = readNumber(2), skip(":"), let second = readNumber(2),
            hour < 24, minute < 60, second <= 60
        else { return nil }
        return hour * 3_600 + minute * 60 + Swift.min(second, 59)
    }

    private mutating func readMonth() -> Int? {
        let word = readWord()
        return HTTPDate.months.firstIndex { word.span.isSame(as: $0.utf8.span) }.map { $0 + 1 }
    }

    fileprivate mutating func readWord() -> ArraySlice<UInt8> {
        let word = prefix(while: \.isLetter)
        removeFirst(word.count)
        return word
    }

    fileprivate mutating func skip(_ literal: String) -> Bool {
        let head = prefix(literal.utf8.count)
        guard head.span.isSame(as: literal.utf8.span) else { return false }
        removeFirst(head.count)
        return true
    }

    private mutating func readNumber(_ width: Int) -> Int? {
        let digits = prefix(width)
        guard let number = Int64(digits: digits.span), digits.count == width else { return nil }
        removeFirst(width)
        return Int(number)
    }
}
