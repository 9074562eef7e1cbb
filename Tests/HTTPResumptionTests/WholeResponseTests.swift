import HTTPResumption
import HTTPSyntax
import Testing

@Suite struct WholeResponseTests {
    @Test(arguments: rules)
    func aWholeResponseIsWrittenFromZero(rule: ResumeRule) {
        #expect(rule.decision == rule.expected)
    }

    /// A 200 to a request without a range.
    private static func fresh(
        _ claim: String,
        _ fields: HTTPFields = [:],
        limits: ResponseLimits = ResponseLimits(),
        means expected: ResumeDecision
    ) -> ResumeRule {
        ResumeRule(claim, held: .none, 200, fields, limits: limits, means: expected)
    }

    private static let changed: HTTPFields = ["ETag": "\"b\"", "Content-Length": "9"]
    private static let changedFile = ResumeDecision.whole(9, validator: .etag("\"b\""))
    private static let nine: HTTPFields = ["Content-Length": "9"]

    static let rules = [
        fresh("no length, not chunked: flagged", means: .whole(nil, isLengthVerifiable: false)),
        fresh(
            "no length, a size is expected",
            limits: ResponseLimits(expectedBytes: 9),
            means: .whole(9, isAnnounced: false)
        ),
        ResumeRule("HTTP/2 marks its end", held: .none, 200, isMessageFramed: true, means: .whole(nil)),
        fresh("two lengths", ["Content-Length": "5", "Content-Length": "6"], means: .fault(.conflictingLengths)),
        fresh("one length twice", ["Content-Length": "5, 5"], means: .whole(5)),
        fresh("an invalid length", ["Content-Length": "5abc"], means: .fault(.invalidLength("5abc"))),
        fresh("chunked wins", ["Content-Length": "5", "Transfer-Encoding": "chunked"], means: .whole(nil)),
        fresh("chunked wins over x", ["Content-Length": "x", "Transfer-Encoding": "chunked"], means: .whole(nil)),
        fresh("an empty file", ["Content-Length": "0"], means: .whole(0)),
        fresh("the expected size", nine, limits: ResponseLimits(expectedBytes: 9, maximumBytes: 9), means: .whole(9)),
        ResumeRule(
            "empty instead of the expected size",
            200,
            ["Content-Length": "0"],
            limits: ResponseLimits(expectedBytes: 3_000),
            means: .fault(.otherSize(expected: 3_000, actual: 0))
        ),
        fresh(
            "beyond the limit, by its length",
            nine,
            limits: ResponseLimits(maximumBytes: 8),
            means: .fault(.tooLarge(maximum: 8, actual: 9))
        ),
        fresh(
            "beyond the limit, by the expected size",
            limits: ResponseLimits(expectedBytes: 6, maximumBytes: 5),
            means: .fault(.tooLarge(maximum: 5, actual: 6))
        ),
        ResumeRule("the file has changed", 200, changed, means: changedFile),
        ResumeRule("a 203 counts as a 200", 203, changed, means: changedFile),
        ResumeRule(
            "a Content-Range on a 200 is ignored",
            200,
            ["ETag": "\"b\"", "Content-Length": "9", "Content-Range": "bytes 1000-2999/3000"],
            means: changedFile
        ),
        ResumeRule(
            "the same file, ranges refused",
            200,
            ["ETag": tag, "Content-Length": "3000"],
            means: .whole(3_000, validator: entity, refusesRanges: true)
        ),
        fresh(
            "Accept-Ranges: none",
            ["Content-Length": "9", "Accept-Ranges": "none"],
            means: .whole(9, refusesRanges: true)
        ),
        ResumeRule("ranges refused, no validator", held: .unproven, 200, nine, means: .whole(9, refusesRanges: true)),
        ResumeRule(
            "a range request without If-Range was refused, too",
            held: .much,
            request: .tail(from: 2 * mebibyte, ifRange: nil),
            200,
            ["ETag": tag],
            tried: [.plainRange],
            means: .whole(nil, validator: entity, isLengthVerifiable: false, refusesRanges: true)
        ),
        fresh(
            "an encoding that was not requested",
            ["Content-Encoding": "GZip", "Content-Length": "9"],
            means: .whole(9, encoding: "gzip")
        ),
    ]
}
