import SpateHTTPResumption
import SpateHTTPSyntax
import Testing

/// Bytes of a file whose pieces have checksums: any source may add to them, and none replace them.
@Suite struct PieceTests {
    private static let parts = HeldBytes(length: 100_000, gapEnd: 200_000, total: 300_000, validator: entity)
    private static let same = parts.inPieces(of: 300_000, isSameSource: true)
    private static let other = parts.inPieces(of: 300_000, isSameSource: false)
    private static let front = HeldBytes(length: 0, gapEnd: 200_000, total: nil).inPieces(
        of: 300_000,
        isSameSource: true
    )
    private static let nothing = HeldBytes.none.inPieces(of: 300_000, isSameSource: false)

    @Test(
        arguments: [
            (same, .tail(from: 100_000 - 4_096, ifRange: entity)), (other, .tail(from: 100_000, ifRange: nil)),
            (front, .tail(from: 0, ifRange: nil)), (nothing, .whole),
        ] as [(HeldBytes, RangeRequest)]
    )
    func noOverlapIsNeeded(held: HeldBytes, expected: RangeRequest) {
        #expect(RangeRequest.first(for: held) == expected)
    }

    @Test(arguments: rules) func whatComesIsJoined(rule: ResumeRule) {
        #expect(rule.decision == rule.expected)
    }

    private static func fields(_ etag: String?, from first: Int = 100_000, total: Int = 300_000) -> HTTPFields {
        var fields: HTTPFields = ["Content-Range": "bytes \(first)-299999/\(total)"]
        if let etag { fields.append(name: "ETag", value: etag) }
        return fields
    }

    /// Only the gaps of a 200 are written.
    private static func gaps(
        _ validator: EntityValidator?,
        isJoined: Bool = true,
        declines: Bool = true
    ) -> ResumeDecision {
        .write(
            AcceptedBody(
                offset: 0,
                startsOver: false,
                total: 300_000,
                bodyLength: 300_000,
                validator: validator,
                isJoined: isJoined,
                isLengthVerifiable: true,
                refusesRanges: declines
            )
        )
    }

    private static func part(_ validator: EntityValidator?, isJoined: Bool) -> ResumeDecision {
        .part(at: 100_000, length: 200_000, total: 300_000, validator: validator, isJoined: isJoined)
    }

    private static func fails(_ cause: RestartCause) -> ResumeDecision { .fault(.otherSource(cause)) }

    private static let plain = RangeRequest.tail(from: 100_000, ifRange: nil)
    private static let length: HTTPFields = ["Content-Length": "300000"]
    private static let askAll = ResumeDecision.ask(.whole, .withoutRange)

    private static let rules = [
        ResumeRule("no tag", held: other, 206, fields(nil), means: part(nil, isJoined: true)),
        ResumeRule(
            "another tag",
            held: same,
            request: plain,
            206,
            fields("\"b\""),
            means: part(.etag("\"b\""), isJoined: true)
        ),
        ResumeRule("the same tag", held: same, request: plain, 206, fields(tag), means: part(entity, isJoined: false)),
        // A 200 to If-Range: the server may have ranges, and another tag.
        ResumeRule("a 200", held: same, 200, length, means: .ask(.tail(from: 95_904, ifRange: nil), .plainRange)),
        ResumeRule("a second", held: same, 200, length, tried: [.plainRange], means: gaps(nil)),
        ResumeRule("a 200 to a mirror's", held: other, 200, length, means: gaps(nil)),
        ResumeRule("of another size", held: other, 200, ["Content-Length": "300001"], means: fails(.otherTotal)),
        ResumeRule(
            "encoded",
            held: other,
            200,
            ["Content-Encoding": "gzip"],
            tried: [.withoutRange],
            means: fails(.otherEncoding)
        ),
        ResumeRule("another total", held: other, 206, fields(nil, total: 300_001), means: fails(.otherTotal)),
        // Servers whose ranges are of no use are asked for the whole, once.
        ResumeRule("another start", held: other, 206, fields(nil, from: 1), means: askAll),
        ResumeRule("416", held: other, 416, ["Content-Range": "bytes */7"], means: askAll),
        ResumeRule(
            "416 again",
            held: other,
            request: plain,
            416,
            ["Content-Range": "bytes */7"],
            tried: [.withoutRange],
            means: fails(.remoteShorter)
        ),
        // Where there is nothing, all is as usual.
        ResumeRule("the first", held: nothing, 200, length, means: .whole(300_000)),
    ]
}
