import SpateHTTPResumption
import SpateHTTPSyntax
import Testing

@Suite struct UnsatisfiableRangeTests {
    @Test(arguments: rules)
    func a416CompletesOnlyAFileProvenToBeComplete(rule: ResumeRule) {
        #expect(rule.decision == rule.expected)
    }

    private static let probe = RangeRequest.tail(from: 0, ifRange: entity)

    /// A 416 whose Content-Range is `bytes */total`.
    private static func rule(
        _ claim: String,
        held: HeldBytes = .all,
        request: RangeRequest? = nil,
        total: Int64,
        etag: String? = nil,
        tried: [ResumeHistory.Step] = [],
        expecting expectedBytes: Int64? = nil,
        means expected: ResumeDecision
    ) -> ResumeRule {
        var fields: HTTPFields = ["Content-Range": "bytes */\(total)"]
        if let etag { fields.append(name: "ETag", value: etag) }
        let limits = ResponseLimits(expectedBytes: expectedBytes)
        return ResumeRule(
            claim,
            held: held,
            request: request,
            416,
            fields,
            tried: tried,
            limits: limits,
            means: expected
        )
    }

    private static let dated = HeldBytes(length: 1_000, total: 1_000, validator: HTTPResumptionTests.dated)
    private static let expected = HeldBytes(length: 1_000, total: 1_001, validator: entity)
    private static let large = HeldBytes(length: 100_000, validator: entity)
    private static let plain = RangeRequest.tail(from: 1_000, ifRange: nil)
    private static let end = RangeRequest.tail(from: 95_904, ifRange: entity)
    private static let overlap = RangeRequest.tail(from: 34_464, ifRange: entity)
    private static let askEnd = ResumeDecision.ask(probe, .endOfHeld)
    private static let twoRanges: HTTPFields = ["Content-Range": "bytes */1000", "Content-Range": "bytes */1001"]

    private static func otherSize(_ expected: Int64) -> ResumeDecision {
        .fault(.otherSize(expected: expected, actual: 1_000))
    }

    /// A 206 to a request for the end of what is held.
    private static func endRule(
        _ claim: String,
        held: HeldBytes,
        request: RangeRequest,
        _ range: String,
        etag: Bool = true,
        means expected: ResumeDecision
    ) -> ResumeRule {
        var fields: HTTPFields = ["Content-Range": "bytes \(range)"]
        if etag { fields.append(name: "ETag", value: tag) }
        return ResumeRule(claim, held: held, request: request, 206, fields, tried: [.endOfHeld], means: expected)
    }

    static let rules = [
        rule("complete", total: 1_000, means: .complete(total: 1_000)),
        rule("held bytes are denied", held: .unknownTotal, total: 5_096, means: .restart(.unprovenEnd)),
        rule("complete by its date", held: dated, total: 1_000, means: .complete(total: 1_000)),
        rule("with the tag", total: 1_000, etag: tag, means: .complete(total: 1_000)),
        rule("another tag", total: 1_000, etag: "\"b\"", means: .restart(.otherEntity)),
        rule("not the known total", held: .some, total: 5_096, means: .restart(.otherTotal)),
        rule("no validator", held: .unproven, total: 100_000, means: .restart(.otherTotal)),
        rule("nor a total", held: HeldBytes(length: 100_000), total: 100_000, means: .restart(.unprovenEnd)),
        rule("it denies a byte that exists", request: probe, total: 1_000, means: .restart(.unprovenEnd)),
        rule("without If-Range it needs the tag", request: plain, total: 1_000, means: askEnd),
        rule("complete, but not as large as expected", total: 1_000, expecting: 999, means: otherSize(999)),
        rule("below the known total", held: expected, total: 1_000, expecting: 1_001, means: otherSize(1_001)),
        rule("shorter", total: 999, means: .restart(.remoteShorter)),
        rule("empty", total: 0, means: .restart(.remoteShorter)),
        rule("longer", total: 1_001, means: .restart(.remoteLonger)),
        rule("not a range request", held: .none, total: 1_000, means: .fault(.status(416))),
        ResumeRule("no Content-Range", held: .all, 416, means: askEnd),
        ResumeRule("no Content-Range, no validator", held: .unproven, 416, means: .restart(.unprovenEnd)),
        ResumeRule("a range", held: .all, 416, ["Content-Range": "bytes 0-999/1000"], means: askEnd),
        ResumeRule("two different Content-Ranges", held: .all, 416, twoRanges, means: askEnd),
        ResumeRule(
            "the end was requested before",
            held: .all,
            request: probe,
            416,
            tried: [.endOfHeld],
            means: .restart(.unprovenEnd)
        ),
        endRule(
            "the end is there, and nothing after it",
            held: .all,
            request: probe,
            "0-999/1000",
            means: .part(at: 0, comparing: 1_000, length: 1_000, total: 1_000)
        ),
        endRule(
            "the end without a tag proves nothing",
            held: large,
            request: end,
            "95904-99999/100000",
            etag: false,
            means: .ask(overlap, .overlap)
        ),
        endRule(
            "there are more bytes after those that are held",
            held: .unknownTotal,
            request: .tail(from: 1_000, ifRange: entity),
            "1000-6095/6096",
            means: .part(at: 1_000, comparing: 4_096, length: 5_096, total: 6_096)
        ),
    ]
}
