import Testing

@testable import SpateHTTPSyntax

@Suite struct HTTPDateTests {
    @Test(
        arguments: [
            ("Sun, 06 Nov 1994 08:49:37 GMT", 784_111_777), ("Sunday, 06-Nov-94 08:49:37 GMT", 784_111_777),
            ("Sun Nov  6 08:49:37 1994", 784_111_777), ("Wed Nov 16 08:49:37 1994", 784_975_777),
            ("Thu, 01 Jan 1970 00:00:00 GMT", 0), ("Wed, 31 Dec 1969 23:59:59 GMT", -1),
            ("Tue, 29 Feb 2000 00:00:00 GMT", 951_782_400), ("Tue, 19 Jan 2038 03:14:08 GMT", 2_147_483_648),
            ("Wednesday, 01-Jan-70 00:00:00 GMT", nil), ("Thursday, 01-Jan-70 00:00:00 GMT", 0),
            ("Tuesday, 31-Dec-69 00:00:00 GMT", 3_155_673_600), ("Sat, 31 Dec 2016 23:59:60 GMT", 1_483_228_799),
            ("Sat, 01 Jan 0000 00:00:00 GMT", -62_167_219_200), ("Fri, 31 Dec 9999 23:59:59 GMT", 253_402_300_799),
            ("Fri, 31 Dec 9999 23:59:60 GMT", 253_402_300_799),
            ("", nil), ("Sun", nil), ("Sun,", nil), ("Sun, ", nil), ("0", nil),
            ("Mon, 06 Nov 1994 08:49:37 GMT", nil), ("sun, 06 Nov 1994 08:49:37 GMT", nil),
            ("Sun, 06 nov 1994 08:49:37 GMT", nil), ("Sun, 6 Nov 1994 08:49:37 GMT", nil),
            ("Sun, 06 Nov 1994 08:49:37 UTC", nil), ("Sun, 06 Nov 1994 08:49:37 +0000", nil),
            ("Sun, 06 Nov 1994 08:49:37 GMT ", nil), (" Sun, 06 Nov 1994 08:49:37 GMT", nil),
            ("Sun, 06 Nov 1994 8:49:37 GMT", nil), ("Sun, 06 Nov 1994 24:00:00 GMT", nil),
            ("Sun, 06 Nov 1994 08:60:37 GMT", nil), ("Sun, 06 Nov 1994 08:49:61 GMT", nil),
            ("Thu, 31 Nov 1994 08:49:37 GMT", nil), ("Tue, 29 Feb 1900 00:00:00 GMT", nil),
            ("Sun, 00 Nov 1994 08:49:37 GMT", nil), ("Sun, 06 Nov 94 08:49:37 GMT", nil),
            ("Sun, 06 Nov 19940 08:49:37 GMT", nil), ("Sun, 06 Nov -994 08:49:37 GMT", nil),
            ("Sun, +6 Nov 1994 08:49:37 GMT", nil), ("Sun, 06-Nov-94 08:49:37 GMT", nil),
            ("Sunday, 06 Nov 1994 08:49:37 GMT", nil), ("Sunday Nov  6 08:49:37 1994", nil),
            ("Sun Nov 6 08:49:37 1994", nil), ("Sun Nov  6 08:49:37 1994 GMT", nil), ("Sun, 06 Nov 1994 08:49:37", nil),
            ("Sun, 06 Novem 1994 08:49:37 GMT", nil), ("Sun, 06 Nov 1994 08:49:3", nil), ("Süd, 06 Nov 1994", nil),
        ] as [(String, Int64?)]
    )
    func onlyThreeFormsAreRead(text: String, seconds: Int64?) {
        #expect(HTTPDate(text)?.secondsSince1970 == seconds)
    }

    @Test func aWrittenDateIsReadBack() throws {
        var seconds: Int64 = -62_167_219_200
        while seconds <= 253_402_300_799 {
            let date = try #require(HTTPDate(secondsSince1970: seconds))
            #expect(HTTPDate(date.text) == date)
            #expect(date.text.utf8.count == 29)
            seconds += 86_400 * 97 + 4_567
        }
    }

    @Test(arguments: [Int64.min, -62_167_219_201, 253_402_300_800, .max])
    func yearsOutside0To9999AreRejected(seconds: Int64) {
        #expect(HTTPDate(secondsSince1970: seconds) == nil)
    }
}
