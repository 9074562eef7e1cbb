import SpateHTTPResumption
import SpateHTTPSyntax
import Testing

@Suite struct PartialResponseTests {
    @Test(arguments: rules)
    func aPartIsJoinedOnlyIfProvenToContinueTheHeldBytes(rule: ResumeRule) {
        #expect(rule.decision == rule.expected)
    }

    /// The fields of a 206.
    private static func part(_ range: String, _ fields: (String, String)...) -> HTTPFields {
        var all: HTTPFields = ["Content-Range": "bytes \(range)"]
        for (name, value) in fields { all.append(name: name, value: value) }
        return all
    }

    private typealias Rule = ResumeRule

    private static let etag = ("ETag", tag)
    private static let weakTag = ("ETag", "W/\"a\"")
    private static let otherTag = ("ETag", "\"b\"")
    private static let gzip = ("Content-Encoding", "gzip")
    private static let sameRange = ("Content-Range", "bytes 0-1/7096")
    private static let multipart: HTTPFields = ["ETag": tag, "Content-Type": "Multipart/ByteRanges; boundary=x"]
    private static func length(_ value: String) -> (String, String) { ("Content-Length", value) }

    private static let rest = "1000-7095/7096"
    private static let tail = "34464-299999/300000"
    private static let large = HeldBytes(length: 100_000, total: 300_000, validator: entity)
    private static let encoded = HeldBytes(length: 5_096, total: 7_096, validator: entity, encoding: "gzip")
    private static let unprovenGzip = HeldBytes(length: 100_000, total: 200_000, encoding: "gzip")
    private static let unprovenWhole = HeldBytes(length: 100_000, total: 100_000)
    private static let unprovenLittle = HeldBytes(length: 1_000, total: 7_096)
    private static let plain = RangeRequest.tail(from: 1_000, ifRange: nil)
    private static let overlap = RangeRequest.tail(from: 34_464, ifRange: entity)

    private static func joined(
        length: Int64 = 6_096,
        total: Int64? = 7_096,
        _ validator: EntityValidator? = entity,
        encoding: String? = nil
    ) -> ResumeDecision {
        .part(at: 1_000, comparing: 4_096, length: length, total: total, validator: validator, encoding: encoding)
    }

    /// The whole overlap is compared.
    private static func compared(_ validator: EntityValidator?, total: Int64 = 300_000) -> ResumeDecision {
        let length = total - 34_464
        return .part(
            at: 34_464,
            comparing: 65_536,
            length: length,
            total: total,
            validator: validator,
            keepsGaps: false
        )
    }

    private static func mismatch(_ length: Int64) -> ResumeDecision {
        .fault(.rangeLengthMismatch(contentLength: length, rangeLength: 6_096))
    }

    private static func otherSize(_ expected: Int64) -> ResumeDecision {
        .fault(.otherSize(expected: expected, actual: 7_096))
    }

    private static let tooLarge = ResumeDecision.fault(.tooLarge(maximum: 7_095, actual: 7_096))

    static let rules = [
        Rule("right start, total and tag", 206, part(rest, etag), means: joined()),
        Rule("with its length", 206, part(rest, etag, length("6096")), means: joined()),
        Rule("the total was unknown", held: .unknownTotal, 206, part(rest, etag), means: joined()),
        Rule("after a redirect", 206, part(rest, etag), hop: 2, means: joined()),
        Rule("chunked", 206, part(rest, etag, length("9"), ("Transfer-Encoding", "chunked")), means: joined()),
        Rule("two lengths", 206, part(rest, length("1, 2")), means: .fault(.conflictingLengths)),
        Rule("an invalid length", 206, part(rest, length("x")), means: .fault(.invalidLength("x"))),
        Rule("another length than the range's", 206, part(rest, etag, length("7096")), means: mismatch(7_096)),

        Rule("starts at zero", 206, part("0-7095/7096", etag), means: .restart(.wrongStart)),
        Rule("starts lower", 206, part("999-7095/7096", etag), means: .restart(.wrongStart)),
        Rule("starts higher", 206, part("1001-7095/7096", etag), means: .restart(.wrongStart)),
        Rule(
            "a wrong start after a restart",
            206,
            part("1001-7095/7096", etag),
            tried: [.restart(.wrongStart)],
            means: .fault(.repeatedRestart(.wrongStart))
        ),
        Rule("a larger total", 206, part("1000-7095/7097", etag), means: .restart(.otherTotal)),
        Rule("a smaller total", 206, part("1000-7094/7095", etag), means: .restart(.otherTotal)),
        Rule("ends after the known total", 206, part("1000-7096/*", etag), means: .restart(.otherTotal)),
        Rule("no Content-Range", 206, ["ETag": tag], means: .restart(.missingRange)),
        Rule("an invalid Content-Range", 206, part("9-5/10", etag), means: .restart(.malformedRange)),
        Rule("the Content-Range of a 416", 206, part("*/7096", etag), means: .restart(.malformedRange)),
        Rule("two different Content-Ranges", 206, part(rest, etag, sameRange), means: .restart(.malformedRange)),
        Rule("multipart", 206, multipart, means: .restart(.multipart)),
        Rule("not requested", held: .none, 206, part("0-9/10"), means: .fault(.unexpectedStatus(206))),

        Rule("another tag", 206, part(rest, otherTag), means: .restart(.otherEntity)),
        Rule("another date", held: .dated, 206, part(rest, ("Last-Modified", later)), means: .restart(.otherEntity)),
        Rule("the same date", held: .dated, 206, part(rest, ("Last-Modified", date)), means: joined(dated)),
        Rule("no tag, few bytes held", 206, part(rest), means: .restart(.unprovenEntity)),
        Rule("a weak tag, few held", 206, part(rest, weakTag), means: .restart(.unprovenEntity)),
        Rule("no tag", held: large, 206, part("95904-299999/300000"), means: .ask(overlap, .overlap)),
        Rule("no tag on the overlap either", held: large, 206, part(tail), tried: [.overlap], means: compared(entity)),
        Rule("no validator held", held: .unproven, 206, part(tail, weakTag), means: compared(weak)),
        // Such a tag is worth more now, or still as little.
        Rule("a tag of the second of the change", held: .weak, 206, part(tail, etag), means: compared(entity)),
        Rule(
            "a tag of that second still",
            held: .weak,
            206,
            part(tail, etag, ("Last-Modified", date), ("Date", date)),
            means: compared(weak)
        ),
        Rule("another than that tag", held: .weak, 206, part(tail, otherTag), means: .restart(.otherEntity)),
        Rule(
            "no validator held, nothing to compare",
            held: unprovenLittle,
            request: plain,
            206,
            part(rest, etag),
            means: .restart(.unprovenEntity)
        ),
        Rule(
            "no validator held, all bytes held",
            held: unprovenWhole,
            206,
            part("34464-99999/100000"),
            means: compared(nil, total: 100_000)
        ),

        Rule("total *, the same tag", 206, part("1000-7095/*", etag), means: joined()),
        Rule("total *, never known", held: .unknownTotal, 206, part("1000-7095/*", etag), means: joined(total: nil)),
        Rule("total *, no tag", held: large, 206, part("95904-299999/*"), means: .restart(.unprovenEntity)),
        Rule("total * on an overlap", held: .unproven, 206, part("34464-299999/*"), means: .restart(.unprovenEntity)),
        Rule("ends early", 206, part("1000-6095/7096", etag), means: joined(length: 5_096)),
        Rule(
            "ends in the overlap",
            held: .unproven,
            206,
            part("34464-99999/300000"),
            means: .restart(.overlapTooShort)
        ),

        Rule("encoded now", 206, part(rest, etag, gzip), means: .restart(.otherEncoding)),
        Rule("encoded as before", held: encoded, 206, part(rest, etag, gzip), means: joined(encoding: "gzip")),
        Rule("no encoding stated, the same tag", held: encoded, 206, part(rest, etag), means: joined(encoding: "gzip")),
        Rule(
            "no encoding stated, no proof",
            held: unprovenGzip,
            206,
            part("34464-199999/200000"),
            means: .restart(.otherEncoding)
        ),

        Rule("an unexpected size", 206, part(rest, etag), limits: .expecting(4_000), means: otherSize(4_000)),
        Rule(
            "past the expected size",
            held: .unknownTotal,
            206,
            part("1000-7095/*", etag),
            limits: .expecting(7_095),
            means: otherSize(7_095)
        ),
        Rule("beyond the limit", 206, part(rest, etag), limits: .atMost(7_095), means: tooLarge),
        Rule("so by an earlier total", 206, part("1000-6095/*", etag), limits: .atMost(7_095), means: tooLarge),
    ]
}
