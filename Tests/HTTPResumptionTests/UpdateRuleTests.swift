import SpateHTTPResumption
import SpateHTTPSyntax
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
    private static let page: HTTPFields = ["Content-Type": "text/html; charset=utf-8", "Content-Length": "36"]
    private static let weakOne = finished(nil, weakTag: weakText)
    private static let datedOne = finished(dated)
    private static let datedWeakOne = finished(dated, weakTag: weakText)

    /// The fields of a file of this length.
    private static func file(
        _ length: Int = 1_000,
        _ etag: String? = tag,
        dated: Bool = false,
        _ more: (String, String)...
    ) -> HTTPFields {
        var fields: HTTPFields = ["Content-Length": "\(length)"]
        if let etag { fields.append(name: "ETag", value: etag) }
        if dated { fields.append(name: "Last-Modified", value: date) }
        for (name, value) in more { fields.append(name: name, value: value) }
        return fields
    }

    private static func changed(_ length: Int64, _ etag: String, isPage: Bool = false) -> ResumeDecision {
        .whole(length, validator: etag.hasPrefix("W") ? .weakTag(etag) : .etag(etag), isPage: isPage)
    }

    private static let rules =
        [
            // 304
            rule("304 without any validator", 304, means: .unchanged),
            rule("304 with the tag", 304, ["ETag": "\"a\""], means: .unchanged),
            rule("304 with the tag, weak now", 304, ["ETag": "W/\"a\""], means: .unchanged),
            rule("304 to a weak tag, strong now", of: weakOne, 304, ["ETag": "\"w\""], means: .unchanged),
            rule("304 with another tag", 304, ["ETag": "\"b\""], means: again),
            rule("304 to a weak tag with another", of: weakOne, 304, ["ETag": "W/\"b\""], means: again),
            rule("304 with a tag that is none", 304, ["ETag": "b"], means: .unchanged),
            rule("304 with the date", of: datedOne, 304, ["Last-Modified": date], means: .unchanged),
            rule("304 to a date with none", of: datedOne, 304, means: .unchanged),
            rule("304 to a date with an older one", of: datedOne, 304, ["Last-Modified": older], means: again),
            rule("304 with bytes of another on disk", held: HeldBytes(length: 5), 304, means: .unchanged),
            rule("304 without a condition", of: nil, 304, means: .fault(.unexpectedStatus(304))),
            // 200
            rule("200 with the same strong tag", 200, file(), means: .unchanged),
            rule("200 with the same strong tag, no length", 200, ["ETag": "\"a\""], means: .unchanged),
            rule("203 with the same strong tag", 203, file(), means: .unchanged),
            rule("200 with the same strong date", of: datedOne, 200, file(1_000, nil, dated: true), means: .unchanged),
            rule("200 with the same tag and another length", 200, file(999), means: changed(999, tag)),
            rule(
                "200 with the same tag and another encoding",
                200,
                file(1_000, tag, ("Content-Encoding", "gzip")),
                means: .whole(1_000, validator: entity, encoding: "gzip")
            ),
            rule(
                "200 with the same weak tag",
                of: weakOne,
                200,
                file(1_000, weakText),
                means: changed(1_000, weakText)
            ),
            rule(
                "200 with another weak tag and the same date",
                of: datedWeakOne,
                200,
                file(1_000, "W/\"v\"", dated: true, ("Date", later)),
                means: changed(1_000, "W/\"v\"")
            ),
            rule(
                "200 with a strong tag in place of the weak one and the same date",
                of: datedWeakOne,
                200,
                file(1_000, "\"v\"", dated: true, ("Date", later)),
                means: changed(1_000, "\"v\"")
            ),
            // A page
            rule("a page", 200, page, means: .fault(.pageInstead)),
            rule("a page that has no length", 200, ["Content-Type": "text/html"], means: .fault(.pageInstead)),
            rule("an accepted page", 200, page, limits: .init(acceptsPages: true), means: .whole(36, isPage: true)),
            rule("a page in place of a page", of: finished(isPage: true), 200, page, means: .whole(36, isPage: true)),
            rule(
                "a page of the same size",
                200,
                file(1_000, "\"b\"", ("Content-Type", "text/html")),
                means: changed(1_000, "\"b\"", isPage: true)
            ),
            rule(
                "200 with the same tag, of which the first one was weak in its second",
                of: finished(weak, weakTag: weakText),
                200,
                file(),
                means: changed(1_000, tag)
            ),
            rule(
                "200 with the same tag from the second of its Last-Modified",
                200,
                file(1_000, tag, dated: true, ("Date", date)),
                means: .whole(1_000, validator: weak)
            ),
            rule("200 with another tag", 200, file(7, "\"b\""), means: changed(7, "\"b\"")),
            rule(
                "200 of a size that is not expected",
                200,
                file(7, nil),
                limits: .expecting(1_000),
                means: .fault(.otherSize(expected: 1_000, actual: 7))
            ),
            rule("two lengths", 200, file(1_000, tag, ("content-length", "7")), means: .fault(.conflictingLengths)),
            // Others
            rule("206 to a whole", 206, ["Content-Range": "bytes 0-9/10"], means: .fault(.unexpectedStatus(206))),
            rule("503", 503, ["Retry-After": "7"], means: .fault(.status(503), retryAfter: 7)),
        ] + [404, 410, 412, 416].map { rule("\($0)", $0, means: .fault(.status($0))) }

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
