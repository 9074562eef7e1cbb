import Glibc
import SpateHTTPSyntax

extension FuzzTarget {
    /// A line with the current time in seconds and the longest wait; a line with a date or a Retry-After value.
    static let date = FuzzTarget(name: "date") { bytes throws(BrokenClaim) in
        var lines = InputLines(bytes)
        let numbers = lines.nextNumbers()
        let now = numbers.first.flatMap { $0 } ?? 0
        let longest = numbers.dropFirst().first.flatMap { $0 } ?? RetryAfter.longest
        let text = lines.nextText()
        let date = HTTPDate(text)
        if let date { try require(forms(of: date)?.contains(text) == true, "\(date.text) is read from \(text)") }
        if let date = HTTPDate(secondsSince1970: now) { try checkIsReadBack(date) }
        try checkRetryAfter(text, date, now: now, longest: max(0, longest))
    }

    /// Every form of the date is read back.
    private static func checkIsReadBack(_ date: HTTPDate) throws(BrokenClaim) {
        guard let forms = forms(of: date) else { throw BrokenClaim(description: "\(date) is invalid in C") }
        try require(forms.first == date.text, "\(date.text) is \(forms.first ?? "nothing") to the C library")
        // Two-digit years mean only these.
        let hasShortYear = (0..<3_155_760_000).contains(date.secondsSince1970)
        for form in hasShortYear ? forms : forms.filter({ !$0.contains("-") }) {
            try require(HTTPDate(form) == date, "\(form) is not read as \(date.text)")
        }
    }

    private static func checkRetryAfter(
        _ text: String,
        _ date: HTTPDate?,
        now: Int64,
        longest: Int64
    ) throws(BrokenClaim) {
        let wait = RetryAfter.parse(text, now: now, maximum: longest)
        if let wait { try require((0...longest).contains(wait), "a wait of \(wait) seconds") }
        if let date {
            // Cannot overflow in 128 bits.
            let distance = max(0, min(Int128(date.secondsSince1970) - Int128(now), Int128(longest)))
            try require(wait.map { Int128($0) } == distance, "\(text) at \(now) is \(String(describing: wait))")
        } else if !text.isEmpty, text.utf8.allSatisfy({ (0x30...0x39).contains($0) }) {
            let number = Int64(text) ?? .max
            try require(wait == min(number, longest), "\(text) is \(String(describing: wait))")
        } else {
            try require(wait == nil || text.utf8.first == UInt8(ascii: "-"), "\(text) is read as a wait")
        }
    }

    /// The three forms of RFC 9110, section 5.6.7, by the C library's calendar, with and without a leap second.
    private static func forms(of date: HTTPDate) -> [String]? {
        var seconds = time_t(date.secondsSince1970)
        var parts = tm()
        guard gmtime_r(&seconds, &parts) != nil else { return nil }
        let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]
        let days = ["Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"]
        let month = months[Int(parts.tm_mon)]
        let weekday = days[Int(parts.tm_wday)]
        let year = padded(parts.tm_year + 1900, "0000")
        let clock = padded(parts.tm_hour, "00") + ":" + padded(parts.tm_min, "00") + ":"
        var forms: [String] = []
        for second in parts.tm_sec == 59 ? [59, 60] : [parts.tm_sec] {
            let time = clock + padded(second, "00")
            let day = padded(parts.tm_mday, "00")
            forms.append("\(weekday.prefix(3)), \(day) \(month) \(year) \(time) GMT")
            forms.append("\(weekday), \(day)-\(month)-\(year.suffix(2)) \(time) GMT")
            forms.append("\(weekday.prefix(3)) \(month) \(padded(parts.tm_mday, "  ")) \(time) \(year)")
            forms.append("\(weekday.prefix(3)) \(month) \(day) \(time) \(year)")
        }
        return forms
    }

    private static func padded(_ number: CInt, _ padding: String) -> String {
        String((padding + String(number)).suffix(max(padding.count, String(number).count)))
    }
}
