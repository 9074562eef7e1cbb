extension HTTPDate {
    /// Reads the three forms of RFC 9110, section 5.6.7; anything but exactly those is `nil`.
    ///
    /// The day of the week must be the right one. Two-digit years are 1970 to 2069. A leap second counts as the
    /// second before it.
    package init?(_ text: String) {
        self.init(Array(text.utf8)[...])
    }

    /// The same from bytes.
    init?(_ octets: ArraySlice<UInt8>) {
        var rest = octets
        let weekday = rest.takeWord()
        let parsed =
            if !rest.take(", ") {
                rest.takeAsctime()
            } else if weekday.count == 3 {
                rest.takeFixdate()
            } else {
                rest.takeRFC850()
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
    fileprivate mutating func takeFixdate() -> (CivilDate, Int)? {
        guard let day = takeNumber(2), take(" "), let month = takeMonth(), take(" "), let year = takeNumber(4),
            take(" "), let second = takeTime(), take(" GMT")
        else { return nil }
        return (CivilDate(year: year, month: month, day: day), second)
    }

    /// `06-Nov-94 08:49:37 GMT`
    fileprivate mutating func takeRFC850() -> (CivilDate, Int)? {
        guard let day = takeNumber(2), take("-"), let month = takeMonth(), take("-"), let year = takeNumber(2),
            take(" "), let second = takeTime(), take(" GMT")
        else { return nil }
        return (CivilDate(year: year < 70 ? 2000 + year : 1900 + year, month: month, day: day), second)
    }

    /// ` Nov  6 08:49:37 1994`
    fileprivate mutating func takeAsctime() -> (CivilDate, Int)? {
        guard take(" "), let month = takeMonth(), take(" "), let day = take(" ") ? takeNumber(1) : takeNumber(2),
            take(" "), let second = takeTime(), take(" "), let year = takeNumber(4)
        else { return nil }
        return (CivilDate(year: year, month: month, day: day), second)
    }

    /// The second of the day.
    private mutating func takeTime() -> Int? {
        guard let hour = takeNumber(2), take(":"), let minute = takeNumber(2), take(":"), let second = takeNumber(2),
            hour < 24, minute < 60, second <= 60
        else { return nil }
        return hour * 3_600 + minute * 60 + Swift.min(second, 59)
    }

    private mutating func takeMonth() -> Int? {
        let word = takeWord()
        return HTTPDate.months.firstIndex { word.span.isSame(as: $0.utf8.span) }.map { $0 + 1 }
    }

    fileprivate mutating func takeWord() -> ArraySlice<UInt8> {
        let word = prefix(while: \.isLetter)
        removeFirst(word.count)
        return word
    }

    fileprivate mutating func take(_ literal: String) -> Bool {
        let head = prefix(literal.utf8.count)
        guard head.span.isSame(as: literal.utf8.span) else { return false }
        removeFirst(head.count)
        return true
    }

    private mutating func takeNumber(_ width: Int) -> Int? {
        let digits = prefix(width)
        guard let number = Int64(digits: digits.span), digits.count == width else { return nil }
        removeFirst(width)
        return Int(number)
    }
}
