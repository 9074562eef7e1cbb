import Testing

@testable import SpateHTTPResumption
@testable import SpateHTTPSyntax

@Suite struct EntityValidatorTests {
    private static let date = "Sun, 06 Nov 1994 08:49:37 GMT"
    private static let secondLater = "Sun, 06 Nov 1994 08:49:38 GMT"

    @Test(
        arguments: [
            (["ETag": "\"a\""], .etag("\"a\"")), (["ETag": "\"a\"", "ETag": "\"a\""], .etag("\"a\"")),
            (["ETag": "\"a\"", "ETag": "\"b\""], nil), (["ETag": "\"é\""], .etag("\"é\"")),
            (["ETag": "W/\"a\""], .weakTag("W/\"a\"")), (["ETag": "w/\"a\""], nil), (["ETag": "a"], nil),
            (["ETag": "\"\""], nil),
            (["ETag": "\""], nil), (["ETag": "\"a"], nil), (["ETag": "\"a b\""], nil), (["ETag": "\"a\"b\""], nil),
            (["ETag": ""], nil), (["ETag": "\"a\u{7F}\""], nil), (["ETag": "\"a\0\""], nil),
            (["ETag": "\"a\"", "Last-Modified": date, "Date": secondLater], .etag("\"a\"")),
            (["ETag": "\"a\"", "Last-Modified": date, "Date": date], .weakTag("W/\"a\"")),
            (["ETag": "\"a\"", "Last-Modified": secondLater, "Date": date], .weakTag("W/\"a\"")),
            (["ETag": "\"a\"", "Last-Modified": date], .weakTag("W/\"a\"")),
            (["ETag": "\"a\"", "Last-Modified": "yesterday", "Date": date], .etag("\"a\"")),
            (["ETag": "\"a\"", "Date": date], .etag("\"a\"")),
            (["ETag": "W/\"a\"", "Last-Modified": date, "Date": date], .weakTag("W/\"a\"")),
            (["Last-Modified": date, "Date": secondLater], .lastModified(date)),
            (["ETag": "W/\"a\"", "Last-Modified": date, "Date": secondLater], .weakTag("W/\"a\"")),
            (["Last-Modified": date, "Date": "Sunday, 06-Nov-94 08:49:38 GMT"], .lastModified(date)),
            (["Last-Modified": date, "Date": date], nil), (["Last-Modified": secondLater, "Date": date], nil),
            (["Last-Modified": date], nil), (["Last-Modified": date, "Date": "now"], nil),
            (["Last-Modified": "Sunday, 06-Nov-94 08:49:37 GMT", "Date": secondLater], nil),
            (["Last-Modified": "yesterday", "Date": secondLater], nil), ([:], nil),
            (["Last-Modified": date, "Last-Modified": secondLater, "Date": "Sun, 06 Nov 1994 08:49:39 GMT"], nil),
            (["Last-Modified": date, "Last-Modified": date, "Date": secondLater], .lastModified(date)),
            (["Last-Modified": date, "Date": secondLater, "Date": date], nil),
            (["ETag": "\"é\"", "ETag": "\"e\u{301}\""], nil),
        ] as [(HTTPFields, EntityValidator?)]
    )
    func aDateCountsOnlyWhereThereIsNoTag(fields: HTTPFields, expected: EntityValidator?) {
        #expect(EntityValidator(head: ResponseHead(status: 200, fields: fields)) == expected)
    }

    @Test(arguments: [
        "", "w/\"a\"", "W/\"a", "a", "\"a", "\"a\r\nX: y\"", "\"a\0\"", "\"a\tb\"", "*", " \"a\"", "\"a\", \"b\"",
        "Sun, 06 Nov 1994 08:49:37 GMT\r\n", "Sunday, 06-Nov-94 08:49:37 GMT", "Sun Nov  6 08:49:37 1994", "784111777",
        "Mon, 06 Nov 1994 08:49:37 GMT", "\"" + String(repeating: "a", count: 1_023) + "\"",
    ])
    func aStoredTextThatCannotBeSentIsNoValidator(text: String) {
        #expect(EntityValidator(stored: text) == nil)
    }

    @Test(arguments: ["\"a\"", "W/\"a\"", "\"W/a\"", date, "\"" + String(repeating: "a", count: 1_022) + "\""])
    func aStoredValidatorIsReadBack(text: String) {
        #expect(EntityValidator(stored: text)?.text == text)
    }

    @Test func anOverlongTagIsNoValidator() {
        let tag = "\"" + String(repeating: "a", count: 1_023) + "\""
        #expect(EntityValidator(head: ResponseHead(status: 200, fields: ["ETag": tag])) == nil)
    }

    @Test(
        arguments: [
            (.etag("\"a\""), ["ETag": "\"a\""], .same), (.etag("\"a\""), ["ETag": "\"b\""], .different),
            (.etag("\"a\""), ["ETag": "W/\"a\""], .unknown), (.etag("\"a\""), ["ETag": "W/\"b\""], .different),
            (.etag("\"a\""), [:], .unknown), (.etag("\"a\""), ["ETag": "a"], .unknown),
            (.etag("\"a\""), ["ETag": "\"A\""], .different), (.etag("\"a\""), ["Last-Modified": date], .unknown),
            (.etag("\"a\""), ["ETag": "\"a\"", "ETag": "\"b\""], .unknown),
            (.etag("\"é\""), ["ETag": "\"e\u{301}\""], .different),
            (.etag("\"a\""), ["ETag": "\"a\"", "Last-Modified": date, "Date": secondLater], .same),
            (.etag("\"a\""), ["ETag": "\"a\"", "Last-Modified": date, "Date": date], .unknown),
            (.weakTag("W/\"a\""), ["ETag": "\"a\""], .unknown),
            (.weakTag("W/\"a\""), ["ETag": "W/\"a\""], .unknown), (.weakTag("W/\"a\""), [:], .unknown),
            (.weakTag("W/\"a\""), ["ETag": "\"b\""], .different),
            (.weakTag("W/\"a\""), ["ETag": "W/\"b\""], .different),
            (.lastModified(date), ["Last-Modified": date], .same),
            (.lastModified(date), ["Last-Modified": "Sunday, 06-Nov-94 08:49:37 GMT"], .same),
            (.lastModified(date), ["Last-Modified": secondLater], .different), (.lastModified(date), [:], .unknown),
            (.lastModified(date), ["Last-Modified": "then"], .unknown),
            (.lastModified(date), ["ETag": "\"a\""], .unknown),
            (.lastModified(date), ["Last-Modified": date, "Last-Modified": secondLater], .unknown),
            (.lastModified(date), ["Last-Modified": date, "Last-Modified": date], .same),
        ] as [(EntityValidator, HTTPFields, EntityValidator.Agreement)]
    )
    func agreementIsProvenOrUnknown(held: EntityValidator, fields: HTTPFields, expected: EntityValidator.Agreement) {
        #expect(held.agreement(with: ResponseHead(status: 206, fields: fields)) == expected)
    }

    /// Read as Latin-1, its text equals that of another tag in UTF-8.
    @Test func aTagThatIsNotUTF8NeverMatches() {
        var fields = HTTPFields()
        (Array("ETag: \"".utf8) + [0xE9, 0x22]).withUnsafeBytes { fields.append(line: $0) }
        let head = ResponseHead(status: 206, fields: fields)
        #expect(EntityValidator(head: head) == nil)
        #expect(EntityValidator.etag("\"é\"").agreement(with: head) == .different)
    }

    @Test func validatorsAreComparedByBytes() {
        #expect(EntityValidator.etag("\"é\"") != .etag("\"e\u{301}\""))
        #expect(Set([EntityValidator.etag("\"é\""), .etag("\"e\u{301}\"")]).count == 2)
        #expect(EntityValidator.etag(Self.date) != .lastModified(Self.date))
        #expect(EntityValidator.etag("\"é\"") == .etag("\"é\""))
    }
}
