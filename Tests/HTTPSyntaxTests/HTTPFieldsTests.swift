import Testing

@testable import SpateHTTPSyntax

@Suite struct HTTPFieldsTests {
    private func fields(_ lines: [UInt8]...) -> HTTPFields {
        var fields = HTTPFields()
        for line in lines { line.withUnsafeBytes { fields.append(line: $0) } }
        return fields
    }

    private func fields(_ lines: String...) -> HTTPFields {
        var fields = HTTPFields()
        for line in lines { Array(line.utf8).withUnsafeBytes { fields.append(line: $0) } }
        return fields
    }

    @Test(
        arguments: [
            ("ETag: \"a\"\r\n", "\"a\""), ("etag:\"a\"", "\"a\""), ("ETAG:\t \"a\" \t\r\n", "\"a\""), ("ETag:", ""),
            ("ETag: a: b\n", "a: b"), ("ETag : a", nil), (": a", nil), ("ETag", nil), ("", nil), ("\r\n", nil),
            ("E Tag: a", nil), ("HTTP/1.1 200 OK", nil), ("ETagg: a", nil), ("E\u{7F}ag: b", nil),
        ] as [(String, String?)]
    )
    func aFieldBeginsWithANameAndAColon(line: String, value: String?) {
        #expect(fields(line).first(of: "etag") == value)
    }

    @Test func aFoldedFieldIsOneValue() {
        let folded = fields("X-A: one\r\n", "  two\r\n", "\tthree \r\n", " \r\n", "X-B: four\r\n")
        #expect(folded.values(of: "x-a") == ["one two three"])
        #expect(folded.values(of: "x-b") == ["four"])
        #expect(fields("X-A:\r\n", " late\r\n").first(of: "x-a") == "late")
    }

    @Test func aContinuationOfNoFieldIsSkipped() {
        #expect(fields("X-A: one\r\n", "bad line\r\n", " two\r\n").values(of: "x-a") == ["one"])
        #expect(fields(" two\r\n", "X-A: one\r\n").count == 1)
    }

    @Test func anEmptyLineIsNoField() {
        var fields = HTTPFields()
        fields.append(line: UnsafeRawBufferPointer(start: nil, count: 0))
        #expect(fields.count == 0)
    }

    @Test func bytesThatAreNotUTF8AreReadAsLatin1() {
        #expect(fields(Array("X: caf".utf8) + [0xE9]).first(of: "x") == "café")
        #expect(fields("X: café").first(of: "x") == "café")
    }

    @Test func fieldsKeepTheirOrder() {
        let some = fields("A: 1", "B: 2", "a: 3")
        #expect(some.values(of: "A") == ["1", "3"])
        #expect(some.first(of: "a") == "1")
        #expect(some.values(of: "c") == [])
    }

    @Test(arguments: [1, 63, 64, 65, 200])
    func aNameOfAnyLengthIsFound(length: Int) {
        let name = String(repeating: "n", count: length)
        #expect(fields("A: 1", "\(name): 2").first(of: name.uppercased()) == "2")
        #expect(fields("\(name): 2").first(of: name + "n") == nil)
    }

    @Test func namesOfOneLengthAndFirstLetterAreToldApart() {
        let some = fields("Dote: 1", "DATE: 2", "Data: 3", "date: 4")
        #expect(some.values(of: "date") == ["2", "4"] && some.first(of: "data") == "3")
        #expect(some.first(of: "done") == nil && some.first(of: "dots") == nil && some.first(of: "dote") == "1")
        #expect(some.commonOctets(of: "date") == nil && some.first(of: "") == nil)
    }

    @Test(arguments: [("", []), ("one", ["one"]), ("\"one", ["\"one"]), (",", []), (" , one\t,", ["one"])])
    func aListMayHaveOneMemberOrNone(value: String, members: [String]) {
        let some: HTTPFields = ["A": value]
        #expect(some.members(of: "a") == members)
    }

    @Test func listsAreSplitOutsideQuotes() {
        let some: HTTPFields = ["A": "one, two ,,\"a,b\"", "A": "\"a\\\",b\",three"]
        #expect(some.members(of: "a") == ["one", "two", "\"a,b\"", "\"a\\\",b\"", "three"])
    }

    @Test(
        arguments: [
            ([], .absent), (["5"], .exact(5)), (["5", "5"], .exact(5)), (["5, 5"], .exact(5)), (["005"], .exact(5)),
            (["0"], .exact(0)), (["9223372036854775807"], .exact(.max)), (["5", "6"], .conflicting),
            (["5, 6"], .conflicting), (["5", "6", "5"], .conflicting), (["-5"], .invalid("-5")),
            (["+5"], .invalid("+5")),
            (["5abc"], .invalid("5abc")), (["9223372036854775808"], .invalid("9223372036854775808")),
            ([""], .invalid("")), (["5,"], .invalid("5,")), (["5 5"], .invalid("5 5")), (["5", "x"], .invalid("x")),
            (["5", "6", "x"], .invalid("x")), (["0x10"], .invalid("0x10")), (["5.0"], .invalid("5.0")),
            (["٥"], .invalid("٥")),
        ] as [([String], ContentLength)]
    )
    func allContentLengthsMustAgree(values: [String], expected: ContentLength) {
        var fields = HTTPFields()
        for value in values { fields.append(name: "Content-Length", value: value) }
        #expect(ResponseHead(status: 200, fields: fields).contentLength == expected)
    }

    @Test func chunkedIsTheOnlyKnownTransferCoding() {
        func head(_ codings: String..., isMessageFramed: Bool = false) -> ResponseHead {
            var fields = HTTPFields()
            for coding in codings { fields.append(name: "Transfer-Encoding", value: coding) }
            return ResponseHead(status: 200, fields: fields, isMessageFramed: isMessageFramed)
        }
        for known in [head("Chunked"), head("identity", "chunked"), head("identity, chunked")] {
            #expect(known.isChunked && known.overridesContentLength && known.unaskedTransferCoding == nil)
        }
        for unasked in [head("gzip", "chunked"), head("chunked, gzip"), head("gzip"), head("chunked", "chunked")] {
            #expect(!unasked.isChunked && unasked.overridesContentLength && unasked.unaskedTransferCoding != nil)
        }
        #expect(head("gzip", "Chunked").unaskedTransferCoding == "gzip, chunked")
        for none in [head(), head("identity"), head("chunked", isMessageFramed: true)] {
            #expect(!none.isChunked && !none.overridesContentLength && none.unaskedTransferCoding == nil)
        }
        #expect(head("chunked", isMessageFramed: true).showsItsEnd)
    }

    @Test func identityIsNoContentEncoding() {
        #expect(ResponseHead(status: 200, fields: ["Content-Encoding": "identity"]).contentEncoding == nil)
        #expect(ResponseHead(status: 200).contentEncoding == nil)
        #expect(ResponseHead(status: 200, fields: ["Content-Encoding": "GZIP, br"]).contentEncoding == "gzip, br")
    }
}
