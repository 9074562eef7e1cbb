import SpateHTTPSyntax
import Testing

@Suite struct ContentDispositionTests {
    @Test(
        arguments: [
            ("attachment; filename=\"report 2024.zip\"", ["report 2024.zip"]),
            ("attachment; filename=report.zip", ["report.zip"]), ("INLINE;FILENAME=report.zip;", ["report.zip"]),
            ("attachment ; filename = \"a;b.zip\" ; size=3", ["a;b.zip"]),
            ("attachment; filename*=UTF-8''%e2%82%ac%20rates.csv", ["€ rates.csv"]),
            ("attachment; filename*=utf-8'de'na%C3%AFve.csv", ["naïve.csv"]),
            ("attachment; filename*= iso-8859-1''%A3%20rates.csv", ["£ rates.csv"]),
            ("attachment; filename=\"plain.csv\"; filename*=UTF-8''best.csv", ["best.csv", "plain.csv"]),
            ("attachment; filename*=UTF-8''best.csv; filename=\"plain.csv\"", ["best.csv", "plain.csv"]),
            // What the server means counts.
            ("attachment; filename=annual report.pdf; x=y", ["annual report.pdf"]), ("filename=a.zip", ["a.zip"]),
            ("attachment;; filename=\"a.zip\"", ["a.zip"]), ("; filename=a.zip", ["a.zip"]),
            ("filename=\"a=b;c\"", ["a=b;c"]), ("attachment; filename=\"näme.txt\"", ["näme.txt"]),
            ("attachment; filename=\"f\\oo\\\"\\\\.html\"", ["foo\"\\.html"]), ("attachment; filename=\"\"", [""]),
            ("attachment; filename='a.zip'", ["'a.zip'"]), ("attachment; filename=../../a", ["../../a"]),
            ("attachment; filename=\"a%20b.zip\"", ["a%20b.zip"]),
            // An invalid extended value leaves the other.
            ("a; filename=b; filename*=UTF-8''%ff", ["b"]), ("a; filename=b; filename*=UTF-8''%e", ["b"]),
            ("a; filename=b; filename*=UTF-8''c d", ["b"]), ("a; filename=b; filename*=UTF-16''c", ["b"]),
            ("a; filename=b; filename*=c", ["b"]), ("a; filename=b; filename*=UTF-8'c", ["b"]),
            ("a; filename=b; filename*=\"UTF-8''c\"", ["b"]), ("a; filename=b; filename*=''c", ["b"]),
            ("a; filename=b; filename*=UTF-8''%zz", ["b"]), ("a; filename=b; filename*0=\"c\"", ["b"]),
            // No name, or none that can be read.
            ("attachment", []), ("", []), (";", []), ("attachment; filename", []), ("attachment; =a", []),
            ("attachment; filename=\"a", []), ("attachment; filename=\"a\\", []), ("attachment; filename=\"a\" b", []),
            ("attachment; filename=a\"b", []), ("attachment; filename=a; filename=b", []),
            ("attachment; filename *=UTF-8''a", []), ("attachment; filename*=UTF-8''a; filename*=UTF-8''b", []),
            ("attachment; name=\"a.zip\"", []), ("attachment; \"filename\"=a", []),
        ] as [(String, [String])]
    )
    func namesAreRead(value: String, expected: [String]) {
        #expect(ContentDisposition.fileNames(in: ["Content-Disposition": value]) == expected)
    }

    @Test func bytesThatAreNotUTF8AreLatin1() {
        var fields = HTTPFields()
        let line = Array("content-disposition: a; filename=\"".utf8) + [0xA3, 0x22]
        line.withUnsafeBytes { fields.append(line: $0) }
        #expect(ContentDisposition.fileNames(in: fields) == ["£"])
    }

    @Test func fieldsThatDifferAreIgnored() {
        var fields: HTTPFields = ["Content-Disposition": "attachment; filename=a"]
        fields.append(name: "content-disposition", value: "attachment; filename=a")
        #expect(ContentDisposition.fileNames(in: fields) == ["a"])
        fields.append(name: "content-disposition", value: "attachment; filename=b")
        #expect(ContentDisposition.fileNames(in: fields).isEmpty)
    }

    @Test func aLongFieldIsIgnored() {
        let room = ContentDisposition.maximumLength - "a; filename=".utf8.count
        for (count, isRead) in [(room, true), (room + 1, false)] {
            let name = String(repeating: "x", count: count)
            #expect(
                ContentDisposition.fileNames(in: ["Content-Disposition": "a; filename=\(name)"])
                    == (isRead ? [name] : [])
            )
        }
    }
}
