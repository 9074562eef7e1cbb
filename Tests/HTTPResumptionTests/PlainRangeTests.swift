import SpateHTTPResumption
import SpateHTTPSyntax
import Testing

/// A 200 with the held entity tag: some servers answer 206 only without If-Range.
@Suite struct PlainRangeTests {
    private static let same: HTTPFields = ["ETag": tag, "Content-Length": "3145728"]
    private static let plain = RangeRequest.tail(from: 2 * mebibyte - 4_096, ifRange: nil)

    @Test func aServerThatIgnoresIfRangeIsAskedWithoutIt() {
        let rule = ResumeRule("", held: .much, 200, Self.same, means: .ask(Self.plain, .plainRange))
        #expect(rule.decision == rule.expected)
    }

    /// A 200 for which the request is not repeated. The tests look only at how its body is written.
    private static func taken(
        _ claim: String,
        held: HeldBytes = .much,
        request: RangeRequest? = nil,
        _ fields: HTTPFields = same,
        tried: [ResumeHistory.Step] = []
    ) -> ResumeRule {
        ResumeRule(claim, held: held, request: request, 200, fields, tried: tried, means: .whole(nil))
    }

    @Test(arguments: [
        taken("asked before", tried: [.plainRange]),
        taken("plain ranges proved nothing before", tried: [.restart(.unprovenEntity)]),
        taken("asked without If-Range", request: plain),
        taken("another tag", ["ETag": "\"b\""]),
        taken("a weak tag", ["ETag": "W/\"a\""]),
        taken("no tag", [:]),
        taken("no ranges", ["ETag": tag, "Accept-Ranges": "none"]),
        taken("another size", ["ETag": tag, "Content-Length": "9"]),
        taken("encoded", ["ETag": tag, "Content-Encoding": "br"]),
        taken("few bytes held", held: HeldBytes(length: mebibyte - 1, validator: entity), ["ETag": tag]),
    ])
    func otherwiseThe200IsTaken(rule: ResumeRule) {
        guard case .write(let body) = rule.decision else {
            Issue.record("\(rule.decision)")
            return
        }
        #expect(body.startsOver && body.offset == 0 && body.comparing == 0)
    }

    @Test(
        arguments: [
            (
                ["ETag": tag],
                .part(at: 2 * mebibyte - 4_096, comparing: 4_096, length: mebibyte + 4_096, total: 3 * mebibyte)
            ),
            ([:], .restart(.unprovenEntity)),
        ] as [(HTTPFields, ResumeDecision)]
    )
    func thePartMustThenHaveTheTag(fields: HTTPFields, expected: ResumeDecision) {
        var fields = fields
        fields.append(name: "Content-Range", value: "bytes 2093056-3145727/3145728")
        let rule = ResumeRule("", held: .much, request: Self.plain, 206, fields, tried: [.plainRange], means: expected)
        #expect(rule.decision == rule.expected)
    }

    @Test func progressAllowsMostStepsOnceMore() {
        var history = ResumeHistory()
        let steps: [ResumeHistory.Step] = [.plainRange, .endOfHeld, .originalURL, .overlap, .restart(.wrongStart)]
        for step in steps { history.record(step) }
        history.noteProgress()
        #expect(steps.filter { history.contains($0) } == [.overlap, .restart(.wrongStart)])
        #expect(!history.contains(.restart(.otherTotal)))
    }
}
