import SpateFilePaths
import SpateHTTPResumption
import SpateHTTPSyntax
import SpatePartialFiles
import Testing

@Suite struct ResumeRecordTests {
    static let full = {
        var record = ResumeRecord(origin: "https://host/file.zip", isOfDocument: true)
        record.total = 1_048_576
        record.validator = .etag("\"v1\"")
        record.encoding = "gzip"
        record.durable = DurableMark(FilledRanges(upTo: 4_096), boot: RecordKeeping.boot, isList: true)
        record.filled = FilledRanges("0-4096 8192-9000")
        record.mirror = URLHash(digits16: "0123456789abcdef")
        record.isJoined = true
        record.weakTag = "W/\"w1\""
        record.lastModified = HTTPDate("Sun, 06 Nov 1994 08:49:37 GMT")
        record.digest = StatedDigest(stored: "Digest md5 1B2M2Y8AsgTpgAmY7PhCfg==")
        record.checksum = "md5:900150983cd24fb0d6963f7d28e17f72"
        record.type = .page
        record.name = FileName(stated: "report 2024.zip")
        record.owner = FileOwner("11111111-2222-3333-4444-555555555555 17 4711 1")
        record.isReplacing = true
        return record
    }()

    @Test(arguments: RecordField.allCases)
    func everyFieldIsParsedFromItsText(field: RecordField) {
        var copy = ResumeRecord()
        copy[field] = Self.full[field]
        #expect(copy[field] != nil)
        #expect(copy[field] == Self.full[field])
        for other in RecordField.allCases where other != field { #expect(copy[other] == nil) }
    }

    static let garbage: [(RecordField, [String])] = [
        (.digest, ["", "md5 1B2M2Y8AsgTpgAmY7PhCfg==", "Digest md5 1B2M2Y8AsgTpgAmY7PhCfg", "ETag md5 AAAA"]),
        (.name, ["", ".x", "-x", "a/b", "a\nb", "x.part", "x.spate", " x", String(repeating: "x", count: 231)]),
        (
            .checksum,
            ["", ":", "md5", "md5:", ":00", "md5:0g", "MD5:00", "md5:AB", "sha-256:00", "md5:00\n", "md5:00:00"]
        ),
        (.checksum, ["md5:" + String(repeating: "0", count: 141)]),
        (.type, ["", "text/plain", "TEXT/HTML", "text/html "]),
        (
            .owner,
            ["", "17 4711 1", "1 17 4711 1"] + ["0 1 1", "-1 1 1", "+1 1 1", "17 4711 1 "].map { "\(boot) \($0)" }
        ),
        (.mirror, ["", "0", "0123456789ABCDEF", "+123456789abcdef", "0123456789abcdef0", "0123456789abcdeg"]),
        (.mirror, [" 123456789abcdef"]),
        (.total, ["", "-1", "+1", " 1", "1 ", "1\n", "007", "1.5", "9223372036854775808", "0x1", "१"]),
        (.joined, ["", "no", "Yes", "yes "]), (.replacing, ["", "no", "Yes", "yes "]),
        (.total, [String(repeating: "9", count: 4_000)]),
        (.validator, ["", "v1", "W/v1", "\"v1", "\"v1\"\r\nX: y", "\"v\0\"", "yesterday", "\"\(long)\""]),
        (.origin, ["", "http://host/\r\nX", "http://host/\0", "http://hôst/", "http://host/\u{1B}[2J"]),
        (.origin, ["http://host/" + String(repeating: "a", count: 70_000)]),
        (.weakTag, ["", "\"v1\"", "W/v1", "W/\"v1\"\r\nX: y", "W/\"\(long)\""]),
        (.lastModified, ["", "yesterday", "Sun, 06 Nov 1994 08:49:37 GMT\r\nX: y", "1000000000"]),
        (.encoding, ["", "gzip\r\nX: y", "gz\u{FFFD}", String(repeating: "a", count: 129)]),
        (.filled, ["", "5", "garbage", "5-5", "0-5\n", String(repeating: "0-1 ", count: 2_000) + "5-6"]),
        (.durable, ["5", "garbage", "0-5", "5-0 -", "5 \(boot)\n"]),
    ]
    private static let boot = "11111111-2222-3333-4444-555555555555"
    private static let long = String(repeating: "a", count: 2_000)

    @Test(arguments: garbage)
    func anInvalidFieldIsIgnoredAndTheOthersCount(field: RecordField, texts: [String]) {
        for text in texts {
            var record = Self.full
            record[field] = text
            #expect(record[field] == nil, "\(text)")
            for other in RecordField.allCases where other != field { #expect(record[other] == Self.full[other]) }
        }
    }

    /// Less is sent with it, so that trouble counts as yes.
    @Test func whateverItsTextADocumentChoseTheURL() {
        for text in ["yes", "", "no", "~"] {
            var record = ResumeRecord()
            record[.document] = text
            #expect(record.isOfDocument && record[.document] == "yes")
        }
    }

    /// Spate writes one form, and a server may send three.
    @Test func onlyADateAsSpateWritesItIsRead() {
        var record = ResumeRecord()
        for text in ["Sunday, 06-Nov-94 08:49:37 GMT", "Sun Nov  6 08:49:37 1994", "Sun, 06 Nov 1994 08:49:37 GMT"] {
            record[.lastModified] = text
            #expect((record[.lastModified] == text) == text.hasPrefix("Sun,"))
            #expect((record.lastModified != nil) == text.hasPrefix("Sun,"))
        }
    }

    @Test func aSidecarHoldsTheWholeRecord() {
        let sidecar = Sidecar(record: Self.full, modified: 1_700_000_000, partialName: "file.zip.part")
        #expect(
            sidecar.text == """
                user.xdg.origin.url=https://host/file.zip
                user.spate.document=yes
                user.spate.total=1048576
                user.spate.durable=0-4096 11111111-2222-3333-4444-555555555555
                user.spate.filled=0-4096 8192-9000
                user.spate.mirror=0123456789abcdef
                user.spate.joined=yes
                user.spate.validator="v1"
                user.spate.encoding=gzip
                user.spate.weak-etag=W/"w1"
                user.spate.last-modified=Sun, 06 Nov 1994 08:49:37 GMT
                user.spate.digest=Digest md5 1B2M2Y8AsgTpgAmY7PhCfg==
                user.spate.checksum=md5:900150983cd24fb0d6963f7d28e17f72
                user.spate.type=text/html
                user.spate.name=report 2024.zip
                user.spate.owner=11111111-2222-3333-4444-555555555555 17 4711 1
                user.spate.replacing=yes
                modified=1700000000
                part=file.zip.part

                """
        )
        #expect(Array(sidecar.text.utf8).withUnsafeBytes { Sidecar(bytes: $0) } == sidecar)
    }

    @Test(arguments: ["", "file.zip", "../file.zip.part", "/file.zip.part"])
    func aSidecarLooksForPartialFilesInItsFolderAlone(name: String) {
        let text = "modified=1\npart=\(name)\n"
        #expect(Array(text.utf8).withUnsafeBytes { Sidecar(bytes: $0) }.partialName == nil)
    }

    @Test func theLongestOriginAndListsFitIntoASidecar() throws {
        let origin = "http://h/" + String(repeating: "a", count: HTTPURL.maximumLength - 9)
        var list = FilledRanges(upTo: 1)
        for number in (1...Int64(FilledRanges.mostGaps)).reversed() {
            list.insert((.max - 2 * number)..<(.max - 2 * number + 1))
        }
        var record = Self.full
        record.origin = origin
        record.filled = list
        record.durable = DurableMark(list, boot: RecordKeeping.boot, isList: true)
        let text = Sidecar(record: record, modified: .max).text
        #expect(text.utf8.count <= Sidecar.maximumLength)
        #expect(Array(text.utf8).withUnsafeBytes { Sidecar(bytes: $0) }.record == record)
    }
}
