import SpateHTTPResumption
import SpateHTTPSyntax
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
    private static let changedRange: HTTPFields = [
        "ETag": "\"b\"", "Content-Length": "9", "Content-Range": "bytes 1000-2999/3000",
    ]
    private static let changedFile = ResumeDecision.whole(9, validator: .etag("\"b\""))
    private static let same: HTTPFields = ["ETag": tag, "Content-Length": "3000"]
    private static let nine: HTTPFields = ["Content-Length": "9"]
    private static let nineAlone: HTTPFields = ["Content-Length": "9", "Accept-Ranges": "none"]
    private static let encoded: HTTPFields = ["Content-Encoding": "GZip", "Content-Length": "9"]
    private static let empty: HTTPFields = ["Content-Length": "0"]
    private static let exactlyNine = ResponseLimits(expectedBytes: 9, maximumBytes: 9)
    private static let sixOfFive = ResponseLimits(expectedBytes: 6, maximumBytes: 5)
    private static let otherSize = ResumeDecision.fault(.otherSize(expected: 3_000, actual: 0))

    static let rules = [
        fresh("no length, not chunked: flagged", means: .whole(nil, isLengthVerifiable: false)),
        fresh("no length, a size is expected", limits: .expecting(9), means: .whole(9, isAnnounced: false)),
        ResumeRule("HTTP/2 marks its end", held: .none, 200, isMessageFramed: true, means: .whole(nil)),
        fresh("two lengths", ["Content-Length": "5", "Content-Length": "6"], means: .fault(.conflictingLengths)),
        fresh("one length twice", ["Content-Length": "5, 5"], means: .whole(5)),
        fresh("an invalid length", ["Content-Length": "5abc"], means: .fault(.invalidLength("5abc"))),
        fresh("chunked wins", ["Content-Length": "5", "Transfer-Encoding": "chunked"], means: .whole(nil)),
        fresh("chunked wins over x", ["Content-Length": "x", "Transfer-Encoding": "chunked"], means: .whole(nil)),
        fresh("an empty file", empty, means: .whole(0)),
        fresh("the expected size", nine, limits: exactlyNine, means: .whole(9)),
        ResumeRule("empty instead of the expected size", 200, empty, limits: .expecting(3_000), means: otherSize),
        fresh("too long by its length", nine, limits: .atMost(8), means: .fault(.tooLarge(maximum: 8, actual: 9))),
        fresh("by the expected size", limits: sixOfFive, means: .fault(.tooLarge(maximum: 5, actual: 6))),
        ResumeRule("the file has changed", 200, changed, means: changedFile),
        ResumeRule("a 203 counts as a 200", 203, changed, means: changedFile),
        ResumeRule("a Content-Range on a 200 is ignored", 200, changedRange, means: changedFile),
        ResumeRule("ranges refused", 200, same, means: .whole(3_000, validator: entity, refusesRanges: true)),
        fresh("Accept-Ranges: none", nineAlone, means: .whole(9, refusesRanges: true)),
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
        fresh("an encoding that was not requested", encoded, means: .whole(9, encoding: "gzip")),
    ]
}
