extension Int64 {
    /// Digits alone: no sign, no blank, no separator, at least one digit, no overflow.
    init?(digits: some Sequence<UInt8>) {
        var number: Int64?
        for byte in digits {
            guard byte.isDigit else { return nil }
            let (tenfold, isTooLarge) = (number ?? 0).multipliedReportingOverflow(by: 10)
            let (sum, overflows) = tenfold.addingReportingOverflow(Int64(byte &- 0x30))
            if isTooLarge || overflows { return nil }
            number = sum
        }
        guard let number else { return nil }
        self = number
    }
}
