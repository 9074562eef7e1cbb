/// The Retry-After field: how long a server wants to be left alone.
package enum RetryAfter {
    /// A day. A server that asks for more means never, or is mistaken.
    package static let longest: Int64 = 86_400

    /// The seconds to wait from `now`, in `0...maximum`; `nil` for what is neither a number nor a date.
    package static func parse(_ value: String, now: Int64, maximum: Int64 = longest) -> Int64? {
        if let date = HTTPDate(value) {
            let (seconds, overflows) = date.secondsSince1970.subtractingReportingOverflow(now)
            // It overflows only for a clock that is absurdly far in the past or in the future.
            let wait = overflows ? (now < 0 ? .max : 0) : seconds
            return min(max(0, wait), maximum)
        }
        let digits = value.utf8.first == UInt8(ascii: "-") ? value.utf8.dropFirst() : value.utf8[...]
        guard !digits.isEmpty, digits.allSatisfy(\.isDigit) else { return nil }
        guard digits.count == value.utf8.count else { return 0 }
        return min(Int64(digits: digits.span) ?? .max, maximum)
    }
}
