import HTTPResumption
import Testing

@Suite struct WholeResponseTests {
    @Test(arguments: rules)
    func aWholeAnswerIsTakenFromZero(rule: ResumeRule) {
        #expect(rule.decision == rule.expected)
    }

    static let rules = [
        ResumeRule(6, "no length, no chunks: flagged", held: .none, 200, means: .whole(nil, isLengthVerifiable: false)),
        ResumeRule(
            6,
            "no length, a size is expected",
            held: .none,
            200,
            limits: ResponseLimits(expectedBytes: 9),
            means: .whole(9, isAnnounced: false)
        ),
        ResumeRule(6, "HTTP/2 shows its end", held: .none, 200, isMessageFramed: true, means: .whole(nil)),
        ResumeRule(
            7,
            "two lengths",
            200,
            ["Content-Length": "5", "Content-Length": "6"],
            means: .fault(.conflictingLengths)
        ),
        ResumeRule(
            7,
            "two lengths in a list",
            held: .none,
            200,
            ["Content-Length": "5, 6"],
            means: .fault(.conflictingLengths)
        ),
        ResumeRule(
            8,
            "one length twice",
            held: .none,
            200,
            ["Content-Length": "5", "Content-Length": "5"],
            means: .whole(5)
        ),
        ResumeRule(8, "one length twice in a list", held: .none, 200, ["Content-Length": "5, 5"], means: .whole(5)),
        ResumeRule(9, "-5", held: .none, 200, ["Content-Length": "-5"], means: .fault(.invalidLength("-5"))),
        ResumeRule(9, "5abc", held: .none, 200, ["Content-Length": "5abc"], means: .fault(.invalidLength("5abc"))),
        ResumeRule(
            9,
            "2^63",
            held: .none,
            200,
            ["Content-Length": "9223372036854775808"],
            means: .fault(.invalidLength("9223372036854775808"))
        ),
        ResumeRule(
            10,
            "chunked wins",
            held: .none,
            200,
            ["Content-Length": "5", "Transfer-Encoding": "chunked"],
            means: .whole(nil)
        ),
        ResumeRule(
            10,
            "chunked wins over nonsense",
            held: .none,
            200,
            ["Content-Length": "x", "Transfer-Encoding": "chunked"],
            means: .whole(nil)
        ),
        ResumeRule(17, "an empty file", held: .none, 200, ["Content-Length": "0"], means: .whole(0)),
        ResumeRule(
            18,
            "nothing where something is expected",
            200,
            ["Content-Length": "0"],
            limits: ResponseLimits(expectedBytes: 3_000),
            means: .fault(.otherSize(expected: 3_000, actual: 0))
        ),
        ResumeRule(
            18,
            "the expected size",
            held: .none,
            200,
            ["Content-Length": "5"],
            limits: ResponseLimits(expectedBytes: 5, maximumBytes: 5),
            means: .whole(5)
        ),
        ResumeRule(
            83,
            "beyond the limit, told before the body",
            held: .none,
            200,
            ["Content-Length": "6"],
            limits: ResponseLimits(maximumBytes: 5),
            means: .fault(.tooLarge(maximum: 5, actual: 6))
        ),
        ResumeRule(
            83,
            "beyond the limit, told by the caller alone",
            held: .none,
            200,
            limits: ResponseLimits(expectedBytes: 6, maximumBytes: 5),
            means: .fault(.tooLarge(maximum: 5, actual: 6))
        ),
        ResumeRule(
            32,
            "the file has changed",
            200,
            ["ETag": "\"b\"", "Content-Length": "9"],
            means: .whole(9, validator: .etag("\"b\""))
        ),
        ResumeRule(
            32,
            "203 is as good",
            203,
            ["ETag": "\"b\"", "Content-Length": "9"],
            means: .whole(9, validator: .etag("\"b\""))
        ),
        ResumeRule(
            33,
            "the same file, no ranges",
            200,
            ["ETag": tag, "Content-Length": "3000"],
            means: .whole(3_000, validator: entity, refusesRanges: true)
        ),
        ResumeRule(
            33,
            "the server says that it has no ranges",
            held: .none,
            200,
            ["Content-Length": "9", "Accept-Ranges": "none"],
            means: .whole(9, refusesRanges: true)
        ),
        ResumeRule(
            33,
            "no ranges, no validator",
            held: .unproven,
            200,
            ["Content-Length": "9"],
            means: .whole(9, refusesRanges: true)
        ),
        ResumeRule(
            34,
            "Content-Range on a 200",
            200,
            ["ETag": "\"b\"", "Content-Length": "9", "Content-Range": "bytes 1000-2999/3000"],
            means: .whole(9, validator: .etag("\"b\""))
        ),
        ResumeRule(
            46,
            "a 200 after a plain range",
            held: .much,
            request: .tail(from: 2 * mebibyte, ifRange: nil),
            200,
            ["ETag": tag],
            tried: [.plainRange],
            means: .whole(nil, validator: entity, isLengthVerifiable: false, refusesRanges: true)
        ),
        ResumeRule(
            48,
            "an encoding nobody asked for",
            held: .none,
            200,
            ["Content-Encoding": "GZip", "Content-Length": "9"],
            means: .whole(9, encoding: "gzip")
        ),
        ResumeRule(
            49,
            "a tar.gz labelled gzip",
            held: .none,
            200,
            ["Content-Type": "application/x-tar", "Content-Encoding": "gzip", "Content-Length": "9"],
            means: .whole(9, encoding: "gzip")
        ),
    ]
}
