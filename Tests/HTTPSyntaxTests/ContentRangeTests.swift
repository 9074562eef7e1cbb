import SpateHTTPSyntax
import Testing

@Suite struct ContentRangeTests {
    @Test(
        arguments: [
            ("bytes 0-9/10", .part(first: 0, last: 9, total: 10)),
            ("bytes 5-9/10", .part(first: 5, last: 9, total: 10)), ("bytes 0-0/1", .part(first: 0, last: 0, total: 1)),
            ("bytes 5-5/10", .part(first: 5, last: 5, total: 10)),
            ("bytes 0-9/*", .part(first: 0, last: 9, total: nil)),
            ("Bytes 0-9/10", .part(first: 0, last: 9, total: 10)),
            ("BYTES 0-9/*", .part(first: 0, last: 9, total: nil)),
            ("bytes 00-09/010", .part(first: 0, last: 9, total: 10)), ("bytes */10", .unsatisfied(total: 10)),
            ("bytes */0", .unsatisfied(total: 0)), ("bytes */9223372036854775807", .unsatisfied(total: .max)),
            ("bytes 0-9223372036854775806/9223372036854775807", .part(first: 0, last: .max - 1, total: .max)),
            ("bytes 0-9223372036854775806/*", .part(first: 0, last: .max - 1, total: nil)),
            ("", nil), ("bytes", nil), ("bytes ", nil), ("bytes 0-9", nil), ("bytes 0-9/", nil), ("bytes /10", nil),
            ("bytes 9-5/10", nil), ("bytes 0-10/10", nil), ("bytes 0-11/10", nil), ("bytes 10-10/10", nil),
            ("bytes 0-0/0", nil), ("bytes */*", nil), ("bytes *", nil), ("bytes */", nil), ("bytes **/10", nil),
            ("items 0-9/10", nil), ("byte 0-9/10", nil), ("bytess 0-9/10", nil), (" bytes 0-9/10", nil),
            ("0-9/10", nil), ("bytes=0-9/10", nil), ("bytes: 0-9/10", nil), ("bytes\t0-9/10", nil),
            ("bytes  0-9/10", nil),
            ("bytes 0 - 9/10", nil), ("bytes 0-9 /10", nil), ("bytes 0-9/ 10", nil), ("bytes 0-9/10 ", nil),
            ("bytes 0-9/10/10", nil), ("bytes 0-9-9/10", nil), ("bytes -9/10", nil), ("bytes 0-/10", nil),
            ("bytes -/10", nil), ("bytes +0-9/10", nil), ("bytes 0-+9/10", nil), ("bytes 0-9/+10", nil),
            ("bytes -1-9/10", nil), ("bytes 0--9/10", nil), ("bytes 0-9/-10", nil), ("bytes 0x0-9/10", nil),
            ("bytes 0-9/10a", nil), ("bytes 0-9.0/10", nil), ("bytes 0-9,10-19/20", nil), ("bytes 0-9/**", nil),
            ("bytes 0-9223372036854775807/*", nil), ("bytes 0-9223372036854775808/*", nil),
            ("bytes 0-9/9223372036854775808", nil), ("bytes 18446744073709551616-18446744073709551617/*", nil),
            ("bytes */9223372036854775808", nil), ("bytes ٠-٩/١٠", nil), ("bytes 0-9/10\0", nil),
            ("bytes 0-9/10\r\n", nil), ("bytes 0–9/10", nil), ("bytes 0-9\\10", nil),
        ] as [(String, ContentRange?)]
    )
    func onlyAValidRangeIsRead(text: String, expected: ContentRange?) {
        #expect(ContentRange(text) == expected)
        if let range = ContentRange(text) { #expect(ContentRange(range.text) == range) }
    }
}
