import HTTPResumption
import Testing

/// What holds for every text, however mad.
@Suite struct ParserPropertyTests {
    private static let pieces = [
        "http", "HTTPS", "://", ":", "/", "//", "?", "#", "@", "[", "]", "::1", "%25", "%", "%2e", "..", ".", "a", "B",
        "é",
        " ", "\\", "\u{0}", "\r\n", "\t", "65535", "65536", "0", "-", "bytes ", "*", "9223372036854775807", "\"", "W/",
        ",",
        "Sun, 06 Nov 1994 08:49:37 GMT", "Nov", "chunked", "1994",
    ]

    private func text(_ random: inout MadServer) -> String {
        let prefix = random.pick("", "", "http://", "https://a/", "bytes ", "\"", "Sun, 06 Nov ")
        return (0..<random.below(9)).reduce(into: prefix) { text, _ in
            text += Self.pieces.randomElement(using: &random) ?? ""
        }
    }

    @Test(arguments: 1...4 as ClosedRange<UInt64>)
    func whatIsParsedIsItsOwnCanonicalForm(seed: UInt64) throws {
        var random = MadServer(seed: seed)
        let base = try HTTPURL("http://user@host:81/a/b?c")
        for _ in 0..<2_000 {
            let text = text(&random)
            for url in [try? HTTPURL(text), try? base.resolving(text)] {
                guard let url else { continue }
                let again = try HTTPURL(url.text)
                #expect(again == url && again.text == url.text && again.isSameOrigin(as: url))
                #expect((again.host, again.port, again.scheme) == (url.host, url.port, url.scheme))
                #expect(url.text.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F })
                #expect(url.lastPathComponent.count <= url.text.utf8.count)
            }
            if let range = ContentRange(text) { #expect(ContentRange(range.text) == range) }
            if let date = HTTPDate(text) { #expect(HTTPDate(date.text) == date) }
            if let validator = EntityValidator(stored: text) { #expect(validator.text == text) }
            if let wait = RetryAfter.parse(text, now: 0) { #expect((0...RetryAfter.longest).contains(wait)) }
        }
    }

    @Test(arguments: 1...4 as ClosedRange<UInt64>)
    func anyBytesMayStandInALine(seed: UInt64) {
        var random = MadServer(seed: seed)
        for _ in 0..<500 {
            var fields = HTTPFields()
            for _ in 0..<random.below(6) {
                var line = random.pick([], Array("ETag:".utf8), Array("Content-Length: ".utf8), Array(" ".utf8))
                for _ in 0..<random.below(12) { line.append(UInt8(truncatingIfNeeded: random.next())) }
                line.withUnsafeBytes { fields.append(line: $0) }
            }
            let head = ResponseHead(status: 206, fields: fields)
            #expect(fields.values(of: "etag").count <= fields.count)
            #expect(fields.members(of: "etag").allSatisfy { !$0.isEmpty })
            if let validator = EntityValidator(head: head) {
                #expect(EntityValidator(stored: validator.text) == validator)
                #expect(HTTPFields.maySend(name: "If-Range", value: validator.text))
            }
        }
    }

    @Test func anEmptyLineIsNoField() {
        var fields = HTTPFields()
        fields.append(line: UnsafeRawBufferPointer(start: nil, count: 0))
        #expect(fields.count == 0)
    }
}
