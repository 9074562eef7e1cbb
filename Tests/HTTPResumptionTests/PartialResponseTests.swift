import HTTPResumption
import HTTPSyntax
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

    private static let etag = ("ETag", tag)
    private static let otherTag = ("ETag", "\"b\"")
    private static let gzip = ("Content-Encoding", "gzip")
    private static let rest = "1000-7095/7096"
    private static let large = HeldBytes(length: 100_000, total: 300_000, validator: entity)
    private static let encoded = HeldBytes(length: 5_096, total: 7_096, validator: entity, encoding: "gzip")
    private static let unprovenGzip = HeldBytes(length: 100_000, total: 200_000, encoding: "gzip")
    private static let joined = ResumeDecision.part(at: 1_000, comparing: 4_096, length: 6_096, total: 7_096)
    private static let joinedGzip = ResumeDecision.part(
        at: 1_000,
        comparing: 4_096,
        length: 6_096,
        total: 7_096,
        encoding: "gzip"
    )
    private static let overlap = RangeRequest.tail(from: 34_464, ifRange: entity)
    private static let limited = ResponseLimits(maximumBytes: 7_095)

    static let rules = [
        ResumeRule("right start, total and tag", 206, part(rest, etag), means: joined),
        ResumeRule("with its length", 206, part(rest, etag, ("Content-Length", "6096")), means: joined),
        ResumeRule("the total was unknown", held: .unknownTotal, 206, part(rest, etag), means: joined),
        ResumeRule("after a redirect", 206, part(rest, etag), hop: 2, means: joined),
        ResumeRule(
            "chunked",
            206,
            part(rest, etag, ("Content-Length", "9"), ("Transfer-Encoding", "chunked")),
            means: joined
        ),
        ResumeRule("two lengths", 206, part(rest, ("Content-Length", "1, 2")), means: .fault(.conflictingLengths)),
        ResumeRule("an invalid length", 206, part(rest, ("Content-Length", "x")), means: .fault(.invalidLength("x"))),
        ResumeRule(
            "the length differs from the range's",
            206,
            part(rest, etag, ("Content-Length", "7096")),
            means: .fault(.rangeLengthMismatch(contentLength: 7_096, rangeLength: 6_096))
        ),

        ResumeRule("starts at zero", 206, part("0-7095/7096", etag), means: .restart(.wrongStart)),
        ResumeRule("starts lower", 206, part("999-7095/7096", etag), means: .restart(.wrongStart)),
        ResumeRule("starts higher", 206, part("1001-7095/7096", etag), means: .restart(.wrongStart)),
        ResumeRule(
            "a wrong start after a restart",
            206,
            part("1001-7095/7096", etag),
            tried: [.restart(.wrongStart)],
            means: .fault(.repeatedRestart(.wrongStart))
        ),
        ResumeRule("a larger total", 206, part("1000-7095/7097", etag), means: .restart(.otherTotal)),
        ResumeRule("a smaller total", 206, part("1000-7094/7095", etag), means: .restart(.otherTotal)),
        ResumeRule("ends after the known total", 206, part("1000-7096/*", etag), means: .restart(.otherTotal)),
        ResumeRule("no Content-Range", 206, ["ETag": tag], means: .restart(.missingRange)),
        ResumeRule("an invalid Content-Range", 206, part("9-5/10", etag), means: .restart(.malformedRange)),
        ResumeRule("the Content-Range of a 416", 206, part("*/7096", etag), means: .restart(.malformedRange)),
        ResumeRule(
            "two different Content-Ranges",
            206,
            part(rest, etag, ("Content-Range", "bytes 0-1/7096")),
            means: .restart(.malformedRange)
        ),
        ResumeRule(
            "multipart",
            206,
            ["ETag": tag, "Content-Type": "Multipart/ByteRanges; boundary=x"],
            means: .restart(.multipart)
        ),
        ResumeRule("not requested", held: .none, 206, part("0-9/10"), means: .fault(.unexpectedStatus(206))),

        ResumeRule("another tag", 206, part(rest, otherTag), means: .restart(.otherEntity)),
        ResumeRule(
            "another date",
            held: .dated,
            206,
            part(rest, ("Last-Modified", "Sun, 06 Nov 1994 08:49:38 GMT")),
            means: .restart(.otherEntity)
        ),
        ResumeRule(
            "the same date",
            held: .dated,
            206,
            part(rest, ("Last-Modified", date)),
            means: .part(at: 1_000, comparing: 4_096, length: 6_096, total: 7_096, validator: dated)
        ),
        ResumeRule("no tag, few bytes held", 206, part(rest), means: .restart(.unprovenEntity)),
        ResumeRule("a weak tag, few held", 206, part(rest, ("ETag", "W/\"a\"")), means: .restart(.unprovenEntity)),
        ResumeRule("no tag", held: large, 206, part("95904-299999/300000"), means: .ask(overlap, .overlap)),
        ResumeRule(
            "no tag on the overlap either: it is compared",
            held: large,
            206,
            part("34464-299999/300000"),
            tried: [.overlap],
            means: .part(at: 34_464, comparing: 65_536, length: 265_536, total: 300_000, keepsGaps: false)
        ),
        ResumeRule(
            "no validator held: the overlap is compared",
            held: .unproven,
            206,
            part("34464-299999/300000", ("ETag", "W/\"a\"")),
            means: .part(
                at: 34_464,
                comparing: 65_536,
                length: 265_536,
                total: 300_000,
                validator: weak,
                keepsGaps: false
            )
        ),
        ResumeRule(
            "a tag of the second in which the file was written: the overlap is compared, and the tag is worth more now",
            held: .weak,
            206,
            part("34464-299999/300000", etag),
            means: .part(at: 34_464, comparing: 65_536, length: 265_536, total: 300_000, keepsGaps: false)
        ),
        ResumeRule(
            "a tag of that second still",
            held: .weak,
            206,
            part("34464-299999/300000", etag, ("Last-Modified", date), ("Date", date)),
            means: .part(
                at: 34_464,
                comparing: 65_536,
                length: 265_536,
                total: 300_000,
                validator: weak,
                keepsGaps: false
            )
        ),
        ResumeRule(
            "another tag than that of the second in which the file was written",
            held: .weak,
            206,
            part("34464-299999/300000", otherTag),
            means: .restart(.otherEntity)
        ),
        ResumeRule(
            "no validator held, nothing to compare",
            held: HeldBytes(length: 1_000, total: 7_096),
            request: .tail(from: 1_000, ifRange: nil),
            206,
            part(rest, etag),
            means: .restart(.unprovenEntity)
        ),
        ResumeRule(
            "no validator held, all bytes held: compared",
            held: HeldBytes(length: 100_000, total: 100_000),
            206,
            part("34464-99999/100000"),
            means: .part(
                at: 34_464,
                comparing: 65_536,
                length: 65_536,
                total: 100_000,
                validator: nil,
                keepsGaps: false
            )
        ),

        ResumeRule("total *, the same tag", 206, part("1000-7095/*", etag), means: joined),
        ResumeRule(
            "total *, never known",
            held: .unknownTotal,
            206,
            part("1000-7095/*", etag),
            means: .part(at: 1_000, comparing: 4_096, length: 6_096, total: nil)
        ),
        ResumeRule("total *, no tag", held: large, 206, part("95904-299999/*"), means: .restart(.unprovenEntity)),
        ResumeRule(
            "total * on an overlap, no tag",
            held: .unproven,
            206,
            part("34464-299999/*"),
            means: .restart(.unprovenEntity)
        ),
        ResumeRule(
            "ends early",
            206,
            part("1000-6095/7096", etag),
            means: .part(at: 1_000, comparing: 4_096, length: 5_096, total: 7_096)
        ),
        ResumeRule(
            "ends within the overlap",
            held: .unproven,
            206,
            part("34464-99999/300000"),
            means: .restart(.overlapTooShort)
        ),

        ResumeRule("encoded now", 206, part(rest, etag, gzip), means: .restart(.otherEncoding)),
        ResumeRule("encoded as before", held: encoded, 206, part(rest, etag, gzip), means: joinedGzip),
        ResumeRule("no encoding stated, the same tag", held: encoded, 206, part(rest, etag), means: joinedGzip),
        ResumeRule(
            "no encoding stated, no proof",
            held: unprovenGzip,
            206,
            part("34464-199999/200000"),
            means: .restart(.otherEncoding)
        ),

        ResumeRule(
            "another size than expected",
            206,
            part(rest, etag),
            limits: ResponseLimits(expectedBytes: 4_000),
            means: .fault(.otherSize(expected: 4_000, actual: 7_096))
        ),
        ResumeRule(
            "reaches past the expected size",
            held: .unknownTotal,
            206,
            part("1000-7095/*", etag),
            limits: ResponseLimits(expectedBytes: 7_095),
            means: .fault(.otherSize(expected: 7_095, actual: 7_096))
        ),
        ResumeRule(
            "beyond the limit",
            206,
            part(rest, etag),
            limits: limited,
            means: .fault(.tooLarge(maximum: 7_095, actual: 7_096))
        ),
        ResumeRule(
            "beyond the limit, by the total of an earlier response",
            206,
            part("1000-6095/*", etag),
            limits: limited,
            means: .fault(.tooLarge(maximum: 7_095, actual: 7_096))
        ),
    ]
}
