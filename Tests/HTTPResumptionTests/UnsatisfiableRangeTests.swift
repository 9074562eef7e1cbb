import HTTPResumption
import HTTPSyntax
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
    private static let plain = RangeRequest.tail(from: 1_000, ifRange: nil)

    static let rules = [
        rule("complete", total: 1_000, means: .complete(total: 1_000)),
        rule(
            "the total was unknown: bytes that are held are denied",
            held: .unknownTotal,
            total: 5_096,
            means: .restart(.unprovenEnd)
        ),
        rule("complete by its date", held: dated, total: 1_000, means: .complete(total: 1_000)),
        rule("with the tag", total: 1_000, etag: tag, means: .complete(total: 1_000)),
        rule("another tag", total: 1_000, etag: "\"b\"", means: .restart(.otherEntity)),
        rule("not the known total", held: .some, total: 5_096, means: .restart(.otherTotal)),
        rule("no validator", held: .unproven, total: 100_000, means: .restart(.otherTotal)),
        rule(
            "no validator and no total",
            held: HeldBytes(length: 100_000),
            total: 100_000,
            means: .restart(.unprovenEnd)
        ),
        rule("it denies a byte that exists", request: probe, total: 1_000, means: .restart(.unprovenEnd)),
        rule("without If-Range it needs the tag", request: plain, total: 1_000, means: .ask(probe, .endOfHeld)),
        rule(
            "complete, but not as large as expected",
            total: 1_000,
            expecting: 999,
            means: .fault(.otherSize(expected: 999, actual: 1_000))
        ),
        rule(
            "complete, but below the total that is known and expected",
            held: expected,
            total: 1_000,
            expecting: 1_001,
            means: .fault(.otherSize(expected: 1_001, actual: 1_000))
        ),
        rule("shorter", total: 999, means: .restart(.remoteShorter)),
        rule("empty", total: 0, means: .restart(.remoteShorter)),
        rule("longer", total: 1_001, means: .restart(.remoteLonger)),
        rule("not a range request", held: .none, total: 1_000, means: .fault(.status(416))),
        ResumeRule("no Content-Range", held: .all, 416, means: .ask(probe, .endOfHeld)),
        ResumeRule("no Content-Range, no validator", held: .unproven, 416, means: .restart(.unprovenEnd)),
        ResumeRule(
            "a range in the Content-Range",
            held: .all,
            416,
            ["Content-Range": "bytes 0-999/1000"],
            means: .ask(probe, .endOfHeld)
        ),
        ResumeRule(
            "two different Content-Ranges",
            held: .all,
            416,
            ["Content-Range": "bytes */1000", "Content-Range": "bytes */1001"],
            means: .ask(probe, .endOfHeld)
        ),
        ResumeRule(
            "the end was requested before",
            held: .all,
            request: probe,
            416,
            tried: [.endOfHeld],
            means: .restart(.unprovenEnd)
        ),
        ResumeRule(
            "the end is there, and nothing after it",
            held: .all,
            request: probe,
            206,
            ["Content-Range": "bytes 0-999/1000", "ETag": tag],
            tried: [.endOfHeld],
            means: .part(at: 0, comparing: 1_000, length: 1_000, total: 1_000)
        ),
        ResumeRule(
            "the end without a tag proves nothing",
            held: HeldBytes(length: 100_000, validator: entity),
            request: .tail(from: 95_904, ifRange: entity),
            206,
            ["Content-Range": "bytes 95904-99999/100000"],
            tried: [.endOfHeld],
            means: .ask(.tail(from: 34_464, ifRange: entity), .overlap)
        ),
        ResumeRule(
            "there are more bytes after those that are held",
            held: .unknownTotal,
            request: .tail(from: 1_000, ifRange: entity),
            206,
            ["Content-Range": "bytes 1000-6095/6096", "ETag": tag],
            tried: [.endOfHeld],
            means: .part(at: 1_000, comparing: 4_096, length: 5_096, total: 6_096)
        ),
    ]
}
