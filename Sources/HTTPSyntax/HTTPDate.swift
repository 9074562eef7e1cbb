/// An HTTP date, to the second, in the years 0 to 9999.
package struct HTTPDate: Hashable, Comparable, Sendable {
    package let secondsSince1970: Int64

    /// `nil` outside the years 0 to 9999, which HTTP dates cannot express.
    package init?(secondsSince1970 seconds: Int64) {
        guard (-62_167_219_200...253_402_300_799).contains(seconds) else { return nil }
        secondsSince1970 = seconds
    }

    /// The preferred form: `Sun, 06 Nov 1994 08:49:37 GMT`.
    package var text: String {
        let days = Int(secondsSince1970).floored(by: 86_400)
        let second = Int(secondsSince1970) - days * 86_400
        let date = CivilDate(daysSince1970: days)
        var octets = Array("---, 00 --- 0000 00:00:00 GMT".utf8)
        func write(_ word: String, at start: Int) {
            for (offset, letter) in word.utf8.prefix(3).enumerated() { octets[start + offset] = letter }
        }
        func write(_ number: Int, in range: ClosedRange<Int>) {
            var rest = number
            for index in range.reversed() {
                octets[index] = UInt8(ascii: "0") + UInt8(rest % 10)
                rest /= 10
            }
        }
        write(Self.weekdays[Self.weekdayIndex(daysSince1970: days)], at: 0)
        write(date.day, in: 5...6)
        write(Self.months[date.month - 1], at: 8)
        write(date.year, in: 12...15)
        write(second / 3_600, in: 17...18)
        write(second / 60 % 60, in: 20...21)
        write(second % 60, in: 23...24)
        return String(decoding: octets, as: UTF8.self)
    }

    package static func < (left: HTTPDate, right: HTTPDate) -> Bool {
        left.secondsSince1970 < right.secondsSince1970
    }

    static let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]

    /// The first is the day of 1970-01-01.
    static let weekdays = ["Thursday", "Friday", "Saturday", "Sunday", "Monday", "Tuesday", "Wednesday"]

    static func weekdayIndex(daysSince1970 days: Int) -> Int { days - 7 * days.floored(by: 7) }
}
