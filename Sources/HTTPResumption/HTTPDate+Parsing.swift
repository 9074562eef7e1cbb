extension HTTPDate {
    /// Reads the three forms of RFC 9110, section 5.6.7; anything but exactly those is `nil`.
    ///
    /// The day of the week must be the right one. Two-digit years are 1970 to 2069. A leap second counts as the
    /// second before it.
    package init?(_ text: String) {
        var rest = text.utf8[...]
        let weekday = rest.takeWord()
        let parsed =
            if !rest.take(", ") {
                rest.takeAsctime()
            } else if weekday.utf8.count == 3 {
                rest.takeFixdate()
            } else {
                rest.takeRFC850()
            }
        guard let (date, second) = parsed, rest.isEmpty, date.exists else { return nil }
        let days = date.daysSince1970
        let name = Self.weekday(daysSince1970: days)
        let isLong = text.utf8.dropFirst(weekday.utf8.count).first == UInt8(ascii: ",") && weekday.utf8.count > 3
        guard weekday == (isLong ? name : String(name.prefix(3))) else { return nil }
        self.init(secondsSince1970: Int64(days * 86_400 + second))
    }
}

extension Substring.UTF8View {
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
        HTTPDate.months.firstIndex(of: takeWord()).map { $0 + 1 }
    }

    fileprivate mutating func takeWord() -> String {
        let word = prefix(while: \.isLetter)
        self = dropFirst(word.count)
        return String(Substring(word))
    }

    fileprivate mutating func take(_ literal: String) -> Bool {
        guard starts(with: literal.utf8) else { return false }
        self = dropFirst(literal.utf8.count)
        return true
    }

    private mutating func takeNumber(_ width: Int) -> Int? {
        guard let number = Int64(digits: prefix(width)), count >= width else { return nil }
        self = dropFirst(width)
        return Int(number)
    }
}
