import HTTPResumption
import HTTPSyntax
import Testing

/// What a server is asked about a finished file, and what its answers mean: U1 to U8 of the rules.
@Suite struct UpdateRuleTests {
    private static let weakText = "W/\"w\""

    private static func finished(
        _ validator: EntityValidator? = entity,
        weakTag: String? = nil,
        encoding: String? = nil,
        isPage: Bool = false
    ) -> FinishedEntity? {
        // As a record reads it: beside a weak tag a date proves nothing.
        let validator = validator == dated ? weakTag.map { .weakTag($0) } ?? validator : validator
        return FinishedEntity(
            size: 1_000,
            validator: validator,
            weakTag: weakTag,
            encoding: encoding,
            isPage: isPage
        )
    }

    @Test func theETagIsAskedForOrElseTheDate() {
        #expect(Self.finished(entity)?.condition == .entityTag(tag))
        #expect(Self.finished(nil, weakTag: Self.weakText)?.condition == .entityTag(Self.weakText))
        // A file that was put back has an older date and another tag.
        #expect(Self.finished(dated, weakTag: Self.weakText)?.condition == .entityTag(Self.weakText))
        #expect(Self.finished(dated)?.condition == .date(date))
        #expect(Self.finished(weak) == nil && Self.finished(nil) == nil)
    }

    @Test func bytesOnDiskAreResumedAndOnlyTheWholeIsAskedForUnderACondition() throws {
        let finished = try #require(Self.finished())
        #expect(RangeRequest.first(for: .none, unless: finished) == .wholeUnless(finished))
        #expect(RangeRequest.first(for: .some, unless: finished) == .tail(from: 1_000, ifRange: entity))
        #expect(RangeRequest.first(for: HeldBytes(length: 5), unless: finished) == .wholeUnless(finished))
        #expect(RangeRequest.wholeUnless(finished).ifRange == nil)
        var history = ResumeHistory()
        history.record(.unconditional)
        #expect(RangeRequest.first(for: .none, history: history, unless: finished) == .whole)
    }

    private static func rule(
        _ claim: String,
        of finished: FinishedEntity? = finished(),
        held: HeldBytes = .none,
        _ status: Int,
        _ fields: HTTPFields = [:],
        limits: ResponseLimits = ResponseLimits(),
        means expected: ResumeDecision
    ) -> ResumeRule {
        let request = finished.map { RangeRequest.wholeUnless($0) } ?? .whole
        return ResumeRule(claim, held: held, request: request, status, fields, limits: limits, means: expected)
    }

    private static let older = "Sat, 05 Nov 1994 08:49:37 GMT"
    private static let again: ResumeDecision = .ask(.whole, .unconditional)
    private static let later = "Sun, 06 Nov 1994 08:49:38 GMT"
    private static let page: HTTPFields = ["Content-Type": "text/html; charset=utf-8", "Content-Length": "36"]
    private static let length: HTTPFields = ["Content-Length": "1000", "ETag": "\"a\""]

    private static let rules = [
        // 304
        rule("304 without any validator", 304, means: .unchanged),
        rule("304 with the tag", 304, ["ETag": "\"a\""], means: .unchanged),
        rule("304 with the tag, weak now", 304, ["ETag": "W/\"a\""], means: .unchanged),
        rule(
            "304 to a weak tag, strong now",
            of: finished(nil, weakTag: weakText),
            304,
            ["ETag": "\"w\""],
            means: .unchanged
        ),
        rule("304 with another tag", 304, ["ETag": "\"b\""], means: again),
        rule(
            "304 to a weak tag with another",
            of: finished(nil, weakTag: weakText),
            304,
            ["ETag": "W/\"b\""],
            means: again
        ),
        rule("304 with a tag that is none", 304, ["ETag": "b"], means: .unchanged),
        rule("304 with the date", of: finished(dated), 304, ["Last-Modified": date], means: .unchanged),
        rule("304 to a date with none", of: finished(dated), 304, means: .unchanged),
        rule("304 to a date with an older one", of: finished(dated), 304, ["Last-Modified": older], means: again),
        rule("304 with bytes of another on disk", held: HeldBytes(length: 5), 304, means: .unchanged),
        rule("304 without a condition", of: nil, 304, means: .fault(.unexpectedStatus(304))),
        // 200
        rule("200 with the same strong tag", 200, length, means: .unchanged),
        rule("200 with the same strong tag, no length", 200, ["ETag": "\"a\""], means: .unchanged),
        rule("203 with the same strong tag", 203, length, means: .unchanged),
        rule(
            "200 with the same date, which is strong",
            of: finished(dated),
            200,
            ["Content-Length": "1000", "Last-Modified": date],
            means: .unchanged
        ),
        rule(
            "200 with the same tag and another length",
            200,
            ["Content-Length": "999", "ETag": "\"a\""],
            means: .whole(999, validator: entity)
        ),
        rule(
            "200 with the same tag and another encoding",
            200,
            ["Content-Length": "1000", "ETag": "\"a\"", "Content-Encoding": "gzip"],
            means: .whole(1_000, validator: entity, encoding: "gzip")
        ),
        rule(
            "200 with the same weak tag",
            of: finished(nil, weakTag: weakText),
            200,
            ["Content-Length": "1000", "ETag": weakText],
            means: .whole(1_000, validator: .weakTag(weakText))
        ),
        rule(
            "200 with another weak tag and the same date",
            of: finished(dated, weakTag: weakText),
            200,
            ["Content-Length": "1000", "ETag": "W/\"v\"", "Last-Modified": date, "Date": later],
            means: .whole(1_000, validator: .weakTag("W/\"v\""))
        ),
        rule(
            "200 with a strong tag in place of the weak one and the same date",
            of: finished(dated, weakTag: weakText),
            200,
            ["Content-Length": "1000", "ETag": "\"v\"", "Last-Modified": date, "Date": later],
            means: .whole(1_000, validator: .etag("\"v\""))
        ),
        // A page
        rule("200 with a page", 200, page, means: .fault(.pageInstead)),
        rule("200 with a page that has no length", 200, ["Content-Type": "text/html"], means: .fault(.pageInstead)),
        rule(
            "200 with a page, and pages are accepted",
            200,
            page,
            limits: ResponseLimits(acceptsPages: true),
            means: .whole(36, isPage: true)
        ),
        rule(
            "200 with a page in place of a page",
            of: finished(isPage: true),
            200,
            page,
            means: .whole(36, isPage: true)
        ),
        rule(
            "200 with a page of the same size",
            200,
            ["Content-Type": "text/html", "Content-Length": "1000", "ETag": "\"b\""],
            means: .whole(1_000, validator: .etag("\"b\""), isPage: true)
        ),
        rule(
            "200 with the same tag, of which the first one was weak in its second",
            of: finished(weak, weakTag: weakText),
            200,
            ["Content-Length": "1000", "ETag": "\"a\""],
            means: .whole(1_000, validator: entity)
        ),
        rule(
            "200 with the same tag from the second of its Last-Modified",
            200,
            ["Content-Length": "1000", "ETag": "\"a\"", "Last-Modified": date, "Date": date],
            means: .whole(1_000, validator: weak)
        ),
        rule(
            "200 with another tag",
            200,
            ["Content-Length": "7", "ETag": "\"b\""],
            means: .whole(7, validator: .etag("\"b\""))
        ),
        rule(
            "200 of a size that is not expected",
            200,
            ["Content-Length": "7"],
            limits: ResponseLimits(expectedBytes: 1_000),
            means: .fault(.otherSize(expected: 1_000, actual: 7))
        ),
        rule(
            "200 with two lengths",
            200,
            ["Content-Length": "1000", "content-length": "7", "ETag": "\"a\""],
            means: .fault(.conflictingLengths)
        ),
        // Others
        rule("206 to a whole", 206, ["Content-Range": "bytes 0-9/10"], means: .fault(.unexpectedStatus(206))),
        rule("404", 404, means: .fault(.status(404))),
        rule("410", 410, means: .fault(.status(410))),
        rule("412", 412, means: .fault(.status(412))),
        rule("416", 416, means: .fault(.status(416))),
        rule("503", 503, ["Retry-After": "7"], means: .fault(.status(503), retryAfter: 7)),
    ]

    @Test(arguments: rules) func theAnswerDecides(rule: ResumeRule) {
        #expect(rule.decision == rule.expected)
    }

    @Test func aWeakTagCountsUnlessTheFileWasWrittenInThatSecond() {
        let fields: [(HTTPFields, String?)] = [
            (["ETag": "W/\"w\""], Self.weakText),
            (["ETag": "\"a\""], nil),
            (["ETag": "W/w"], nil),
            (["ETag": "W/\"\""], nil),
            (["ETag": "W/\"w\"", "Last-Modified": Self.older, "Date": date], Self.weakText),
            (["ETag": "W/\"w\"", "Last-Modified": date, "Date": date], nil),
            (["ETag": "W/\"w\"", "Last-Modified": date], nil),
            (["ETag": "W/\"w\"", "etag": "W/\"x\""], nil),
            (
                ["ETag": "W/\"\(String(repeating: "w", count: 1_020))\""],
                "W/\"\(String(repeating: "w", count: 1_020))\""
            ),
            (["ETag": "W/\"\(String(repeating: "w", count: 1_021))\""], nil),
        ]
        for (fields, expected) in fields {
            #expect(EntityValidator.weakTag(of: ResponseHead(status: 200, fields: fields)) == expected, "\(fields)")
        }
        for text in ["\"a\"", "W/a", "W/\"a\nb\"", "", date] { #expect(EntityValidator.weakTag(stored: text) == nil) }
        #expect(EntityValidator.weakTag(stored: Self.weakText) == Self.weakText)
    }
}
