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
    // Public, because the compiler does not inline `package` functions into other modules: a list of 65,536 gaps would
    // take twice as long to parse.
    @inlinable
    public init?(strictDecimal digits: some Collection<UInt8>) {
        guard (1...19).contains(digits.count), digits.count == 1 || digits.first != UInt8(ascii: "0") else {
            return nil
        }
        var value: Int64 = 0
        for digit in digits {
            guard (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(digit) else { return nil }
            let (tens, tensOverflow) = value.multipliedReportingOverflow(by: 10)
            let (sum, overflow) = tens.addingReportingOverflow(Int64(digit - UInt8(ascii: "0")))
            if tensOverflow || overflow { return nil }
            value = sum
        }
        self = value
    }
}
