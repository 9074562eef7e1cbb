import HTTPResumption
import Testing

@Suite struct PartialResponseTests {
    @Test(arguments: rules)
    func aPartIsJoinedWhenItIsProvenToContinueWhatIsHeld(rule: ResumeRule) {
        #expect(rule.decision == rule.expected)
    }

    private static func range(_ text: String, _ fields: (String, String)...) -> HTTPFields {
        var all: HTTPFields = ["Content-Range": text]
        for (name, value) in fields { all.append(name: name, value: value) }
        return all
    }

    private static let etag = ("ETag", tag)
    private static let rest = "bytes 1000-2999/3000"
    private static let small = HeldBytes(length: 1_000, validator: entity)
    private static let large = HeldBytes(length: 100_000, total: 300_000, validator: entity)
    private static let encoded = HeldBytes(length: 1_000, total: 3_000, validator: entity, encoding: "gzip")
    private static let joined = ResumeDecision.part(at: 1_000, length: 2_000, total: 3_000)

    static let rules = [
        ResumeRule(7, "two lengths", 206, range(rest, ("Content-Length", "1, 2")), means: .fault(.conflictingLengths)),
        ResumeRule(9, "no number", 206, range(rest, ("Content-Length", "x")), means: .fault(.invalidLength("x"))),
        ResumeRule(20, "right start, total and tag", 206, range(rest, etag), means: joined),
        ResumeRule(20, "with its length", 206, range(rest, etag, ("Content-Length", "2000")), means: joined),
        ResumeRule(
            10,
            "chunked",
            206,
            range(rest, etag, ("Content-Length", "9"), ("Transfer-Encoding", "chunked")),
            means: joined
        ),
        ResumeRule(20, "the total was unknown", held: small, 206, range(rest, etag), means: joined),
        ResumeRule(21, "starts lower", 206, range("bytes 999-2999/3000", etag), means: .restart(.wrongStart)),
        ResumeRule(21, "starts at zero", 206, range("bytes 0-2999/3000", etag), means: .restart(.wrongStart)),
        ResumeRule(21, "starts higher", 206, range("bytes 1001-2999/3000", etag), means: .restart(.wrongStart)),
        ResumeRule(
            21,
            "again",
            206,
            range("bytes 1001-2999/3000", etag),
            tried: [.restart(.wrongStart)],
            means: .fault(.repeatedRestart(.wrongStart))
        ),
        ResumeRule(22, "larger", 206, range("bytes 1000-2999/3001", etag), means: .restart(.otherTotal)),
        ResumeRule(22, "smaller", 206, range("bytes 1000-2998/2999", etag), means: .restart(.otherTotal)),
        ResumeRule(
            22,
            "ends after the known total",
            206,
            range("bytes 1000-3000/*", etag),
            means: .restart(.otherTotal)
        ),
        ResumeRule(23, "another tag", 206, range(rest, ("ETag", "\"b\"")), means: .restart(.otherEntity)),
        ResumeRule(
            23,
            "another date",
            held: .dated,
            206,
            range(rest, ("Last-Modified", "Sun, 06 Nov 1994 08:49:38 GMT")),
            means: .restart(.otherEntity)
        ),
        ResumeRule(24, "no tag, little here", 206, range(rest), means: .restart(.unprovenEntity)),
        ResumeRule(
            24,
            "a weak tag, little here",
            206,
            range(rest, ("ETag", "W/\"a\"")),
            means: .restart(.unprovenEntity)
        ),
        ResumeRule(
            24,
            "no tag",
            held: large,
            206,
            range("bytes 100000-299999/300000"),
            means: .ask(.tail(from: 34_464, ifRange: entity), .overlap)
        ),
        ResumeRule(
            24,
            "no tag on the overlap either: it is compared",
            held: large,
            206,
            range("bytes 34464-299999/300000"),
            tried: [.overlap],
            means: .part(at: 34_464, comparing: 65_536, length: 265_536, total: 300_000)
        ),
        ResumeRule(25, "total *, the same tag", 206, range("bytes 1000-2999/*", etag), means: joined),
        ResumeRule(
            25,
            "total *, never known",
            held: small,
            206,
            range("bytes 1000-2999/*", etag),
            means: .part(at: 1_000, length: 2_000, total: nil)
        ),
        ResumeRule(
            25,
            "total *, no tag",
            held: large,
            206,
            range("bytes 100000-299999/*"),
            means: .restart(.unprovenEntity)
        ),
        ResumeRule(
            25,
            "total * on an overlap, no tag",
            held: .unproven,
            206,
            range("bytes 34464-299999/*"),
            means: .restart(.unprovenEntity)
        ),
        ResumeRule(
            26,
            "ends early",
            206,
            range("bytes 1000-1999/3000", etag),
            means: .part(at: 1_000, length: 1_000, total: 3_000)
        ),
        ResumeRule(
            26,
            "ends within the overlap",
            held: .unproven,
            206,
            range("bytes 34464-99999/300000"),
            means: .restart(.overlapTooShort)
        ),
        ResumeRule(
            27,
            "a length that is not its range's",
            206,
            range(rest, etag, ("Content-Length", "3000")),
            means: .fault(.rangeLengthMismatch(contentLength: 3_000, rangeLength: 2_000))
        ),
        ResumeRule(28, "no Content-Range", 206, ["ETag": tag], means: .restart(.missingRange)),
        ResumeRule(29, "backwards", 206, range("bytes 9-5/10", etag), means: .restart(.malformedRange)),
        ResumeRule(29, "past the total", 206, range("bytes 0-10/10", etag), means: .restart(.malformedRange)),
        ResumeRule(29, "items", 206, range("items 1000-2999/3000", etag), means: .restart(.malformedRange)),
        ResumeRule(29, "*/total", 206, range("bytes */3000", etag), means: .restart(.malformedRange)),
        ResumeRule(
            29,
            "overflow",
            206,
            range("bytes 1000-18446744073709551616/18446744073709551617", etag),
            means: .restart(.malformedRange)
        ),
        ResumeRule(
            29,
            "two that differ",
            206,
            range(rest, etag, ("Content-Range", "bytes 0-1/3000")),
            means: .restart(.malformedRange)
        ),
        ResumeRule(
            30,
            "multipart",
            206,
            ["ETag": tag, "Content-Type": "Multipart/ByteRanges; boundary=x"],
            means: .restart(.multipart)
        ),
        ResumeRule(31, "not asked for", held: .none, 206, range("bytes 0-9/10"), means: .fault(.unexpectedStatus(206))),
        ResumeRule(
            39,
            "no validator: compared",
            held: .unproven,
            206,
            range("bytes 34464-299999/300000", ("ETag", "W/\"a\"")),
            means: .part(at: 34_464, comparing: 65_536, length: 265_536, total: 300_000, validator: nil)
        ),
        ResumeRule(
            39,
            "no validator, nothing to compare",
            held: HeldBytes(length: 1_000, total: 3_000),
            request: .tail(from: 1_000, ifRange: nil),
            206,
            range(rest, etag),
            means: .restart(.unprovenEntity)
        ),
        ResumeRule(
            41,
            "the same date",
            held: .dated,
            206,
            range(rest, ("Last-Modified", date)),
            means: .part(at: 1_000, length: 2_000, total: 3_000, validator: dated)
        ),
        ResumeRule(
            44,
            "no validator, all here: compared",
            held: HeldBytes(length: 100_000, total: 100_000),
            206,
            range("bytes 34464-99999/100000"),
            means: .part(at: 34_464, comparing: 65_536, length: 65_536, total: 100_000, validator: nil)
        ),
        ResumeRule(
            50,
            "encoded now",
            206,
            range(rest, etag, ("Content-Encoding", "gzip")),
            means: .restart(.otherEncoding)
        ),
        ResumeRule(
            50,
            "silent about the coding, under the same tag",
            held: encoded,
            206,
            range(rest, etag),
            means: .part(at: 1_000, length: 2_000, total: 3_000, encoding: "gzip")
        ),
        ResumeRule(
            50,
            "silent about the coding, with nothing to prove it",
            held: HeldBytes(length: 100_000, total: 200_000, encoding: "gzip"),
            206,
            range("bytes 34464-199999/200000"),
            means: .restart(.otherEncoding)
        ),
        ResumeRule(
            50,
            "encoded as before",
            held: encoded,
            206,
            range(rest, etag, ("Content-Encoding", "gzip")),
            means: .part(at: 1_000, length: 2_000, total: 3_000, encoding: "gzip")
        ),
        ResumeRule(56, "after a redirect", 206, range(rest, etag), hop: 2, means: joined),
        ResumeRule(
            56,
            "after a redirect to something else",
            206,
            range(rest, ("ETag", "\"b\"")),
            hop: 2,
            means: .restart(.otherEntity)
        ),
        ResumeRule(
            18,
            "another size than expected",
            206,
            range(rest, etag),
            limits: ResponseLimits(expectedBytes: 4_000),
            means: .fault(.otherSize(expected: 4_000, actual: 3_000))
        ),
        ResumeRule(
            18,
            "reaches past the expected size",
            held: small,
            206,
            range("bytes 1000-2999/*", etag),
            limits: ResponseLimits(expectedBytes: 2_999),
            means: .fault(.otherSize(expected: 2_999, actual: 3_000))
        ),
        ResumeRule(
            83,
            "beyond the limit",
            206,
            range(rest, etag),
            limits: ResponseLimits(maximumBytes: 2_999),
            means: .fault(.tooLarge(maximum: 2_999, actual: 3_000))
        ),
        ResumeRule(
            83,
            "beyond the limit, told by an earlier response alone",
            206,
            range("bytes 1000-1999/*", etag),
            limits: ResponseLimits(maximumBytes: 2_999),
            means: .fault(.tooLarge(maximum: 2_999, actual: 3_000))
        ),
    ]
}
