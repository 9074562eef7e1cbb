import SpateHTTPSyntax
import Testing

@Suite struct RetryAfterTests {
    @Test(
        arguments: [
            ("0", 0), ("120", 120), ("0120", 120), ("-1", 0), ("-99999999999999999999", 0), ("3600", 3_600),
            ("3601", 3_600), ("9223372036854775807", 3_600), ("99999999999999999999", 3_600),
            ("Sun, 06 Nov 1994 08:49:37 GMT", 0), ("Sun, 06 Nov 1994 08:50:37 GMT", 60),
            ("Sunday, 06-Nov-94 08:50:37 GMT", 60), ("Sun Nov  6 08:50:37 1994", 60),
            ("Sun, 06 Nov 1994 08:48:37 GMT", 0), ("Fri, 31 Dec 9999 23:59:59 GMT", 3_600),
            ("", nil), ("-", nil), ("+1", nil), ("1.5", nil), ("1s", nil), ("soon", nil), (" 1", nil), ("1, 2", nil),
            ("--1", nil), ("Sun, 06 Nov 1994", nil),
        ] as [(String, Int64?)]
    )
    func aWaitIsBoundedAndNeverNegative(value: String, expected: Int64?) {
        #expect(RetryAfter.parse(value, now: 784_111_777, maximum: 3_600) == expected)
    }

    @Test func anAbsurdClockDoesNotOverflow() {
        #expect(RetryAfter.parse("Sun, 06 Nov 1994 08:49:37 GMT", now: .min) == RetryAfter.longest)
        #expect(RetryAfter.parse("Sat, 01 Jan 0000 00:00:00 GMT", now: .max) == 0)
    }
}
