extension Int64 {
    /// `nil` unless all bytes are digits, there is at least one, and the number does not overflow.
    init?(digits: Span<UInt8>) {
        if digits.isEmpty { return nil }
        var number: Int64 = 0
        for index in digits.indices {
            let byte = digits[index]
            guard byte.isDigit else { return nil }
            let (tenfold, isTooLarge) = number.multipliedReportingOverflow(by: 10)
            let (sum, overflows) = tenfold.addingReportingOverflow(Int64(byte &- 0x30))
            if isTooLarge || overflows { return nil }
            number = sum
        }
        self = number
    }

    /// Parses a number as `description` writes it: digits alone, no leading zero, no overflow.
    package init?(strictDecimal digits: Span<UInt8>) {
        guard digits.count == 1 || digits.count > 1 && digits[0] != UInt8(ascii: "0") else { return nil }
        self.init(digits: digits)
    }
}
