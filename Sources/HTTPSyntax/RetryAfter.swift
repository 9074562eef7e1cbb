/// The Retry-After field: how long the server asks to wait before a retry.
package enum RetryAfter {
    /// A day. Longer values are clamped to it.
    package static let longest: Int64 = 86_400

    /// The seconds that a response asks to wait; `nil` without a valid number or date. A date counts from the
    /// response's own Date, because the two clocks may differ.
    ///
    /// - Parameter now: the time in seconds since 1970, for a response without a Date.
    package static func wait(_ head: ResponseHead, now: Int64, maximum: Int64 = longest) -> Int64? {
        guard let text = head.fields.first(of: "retry-after") else { return nil }
        return parse(text, now: head.date?.secondsSince1970 ?? now, maximum: maximum)
    }

    /// The seconds to wait from `now`, clamped to `0...maximum`; `nil` if the value is neither a number nor a date.
    package static func parse(_ value: String, now: Int64, maximum: Int64 = longest) -> Int64? {
        if let date = HTTPDate(value) {
            let (seconds, overflows) = date.secondsSince1970.subtractingReportingOverflow(now)
            // Overflows only if the clock is absurdly wrong.
            let wait = overflows ? (now < 0 ? .max : 0) : seconds
            return min(max(0, wait), maximum)
        }
        let digits = value.utf8.first == UInt8(ascii: "-") ? value.utf8.dropFirst() : value.utf8[...]
        guard !digits.isEmpty, digits.allSatisfy(\.isDigit) else { return nil }
        guard digits.count == value.utf8.count else { return 0 }
        return min(Int64(digits: digits.span) ?? .max, maximum)
    }
}
