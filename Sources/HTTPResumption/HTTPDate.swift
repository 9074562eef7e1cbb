/// A date of HTTP: one second between the years 0 and 9999.
package struct HTTPDate: Hashable, Comparable, Sendable {
    package let secondsSince1970: Int64

    /// `nil` outside of the years 0 to 9999, which no HTTP date can name.
    package init?(secondsSince1970 seconds: Int64) {
        guard (-62_167_219_200...253_402_300_799).contains(seconds) else { return nil }
        secondsSince1970 = seconds
    }

    /// The preferred form: `Sun, 06 Nov 1994 08:49:37 GMT`.
    package var text: String {
        let days = Int(secondsSince1970).floored(by: 86_400)
        let second = Int(secondsSince1970) - days * 86_400
        let date = CivilDate(daysSince1970: days)
        let weekday = Self.weekday(daysSince1970: days).prefix(3)
        let day = Self.padded(date.day, 2)
        let month = Self.months[date.month - 1]
        let hour = Self.padded(second / 3_600, 2)
        let minute = Self.padded(second / 60 % 60, 2)
        return "\(weekday), \(day) \(month) \(Self.padded(date.year, 4)) "
            + "\(hour):\(minute):\(Self.padded(second % 60, 2)) GMT"
    }

    package static func < (left: HTTPDate, right: HTTPDate) -> Bool {
        left.secondsSince1970 < right.secondsSince1970
    }

    static let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]

    static func weekday(daysSince1970 days: Int) -> String {
        let names = ["Thursday", "Friday", "Saturday", "Sunday", "Monday", "Tuesday", "Wednesday"]
        return names[days - 7 * days.floored(by: 7)]
    }

    private static func padded(_ number: Int, _ width: Int) -> String {
        let digits = String(number)
        return String(repeating: "0", count: max(0, width - digits.count)) + digits
    }
}
