import HTTPResumption
import HTTPSyntax
import Testing

/// Bytes of one place of a file, continued from another.
@Suite struct ElsewhereTests {
    private static let start: Int64 = 34_464
    private static let range = "bytes 34464-299999/300000"

    private static func held(
        _ validator: EntityValidator?,
        hasChecksum: Bool = false,
        isProtected: Bool = false
    ) -> HeldBytes {
        HeldBytes(length: 100_000, gapEnd: 200_000, total: 300_000, validator: validator)
            .elsewhere(hasChecksum: hasChecksum, isProtected: isProtected)
    }

    /// A gap's end plays no part there.
    @Test(
        arguments: [
            (held(entity), .tail(from: start, ifRange: entity)),
            (held(dated), .whole),
            (held(weak), .whole),
            (held(nil), .whole),
            (HeldBytes(length: 100_000, validator: entity).elsewhere(hasChecksum: false, isProtected: false), .whole),
            (
                HeldBytes(length: 65_536, total: 300_000, validator: entity).elsewhere(
                    hasChecksum: false,
                    isProtected: false
                ), .whole
            ),
            (held(entity, hasChecksum: true), .tail(from: start, ifRange: nil)),
            (held(nil, hasChecksum: true), .tail(from: start, ifRange: nil)),
            (HeldBytes(length: 65_536, total: 300_000).elsewhere(hasChecksum: true, isProtected: false), .whole),
        ] as [(HeldBytes, RangeRequest)]
    )
    func theFirstRequestOverlapsOrAsksForAll(held: HeldBytes, expected: RangeRequest) {
        #expect(RangeRequest.first(for: held) == expected)
        #expect(held.gapEnd == nil)
    }

    @Test(arguments: rules)
    func bytesAreJoinedUnderTheSameTagAndTotalOrAChecksum(rule: ResumeRule) {
        #expect(rule.decision == rule.expected)
    }

    /// What the origin has sent is not dropped for another source.
    @Test(arguments: protectedRules) func anotherSourceAddsToWhatIsThereOrFails(rule: ResumeRule) {
        #expect(rule.decision == rule.expected)
    }

    private static let protected = held(entity, isProtected: true)
    private static let known = ResponseLimits(originTotal: 300_000)

    private static func fails(
        _ claim: String,
        held: HeldBytes = protected,
        _ status: Int,
        _ fields: HTTPFields,
        for cause: RestartCause
    ) -> ResumeRule {
        ResumeRule(claim, held: held, status, fields, limits: known, means: .fault(.otherSource(cause)))
    }

    static let protectedRules = [
        ResumeRule(
            "the same tag and total: the overlap is compared",
            held: protected,
            206,
            ["Content-Range": range, "ETag": tag],
            limits: known,
            means: joined(entity)
        ),
        fails("another tag", 206, ["Content-Range": range, "ETag": "\"b\""], for: .otherEntity),
        fails("no tag", 206, ["Content-Range": range], for: .unprovenEntity),
        fails("another start", 206, ["Content-Range": "bytes 0-299999/300000", "ETag": tag], for: .wrongStart),
        fails("another total", 206, ["Content-Range": "bytes 34464-9/10", "ETag": tag], for: .malformedRange),
        fails("a larger total", 206, ["Content-Range": "bytes 34464-300000/300001", "ETag": tag], for: .otherTotal),
        fails("200 of the same size", 200, ["Content-Length": "300000", "ETag": tag], for: .unprovenEntity),
        fails("200 of another size", 200, ["Content-Length": "36"], for: .otherTotal),
        fails("200 without a size", 200, ["ETag": tag], for: .otherTotal),
        fails("an empty 200", 200, ["Content-Length": "0"], for: .otherTotal),
        fails("416", 416, ["Content-Range": "bytes */300000", "ETag": tag], for: .unprovenEnd),
        fails(
            "with a checksum, 200 of the same size",
            held: held(entity, hasChecksum: true, isProtected: true),
            200,
            ["Content-Length": "300000"],
            for: .unprovenEntity
        ),
        fails(
            "with a checksum, a larger total",
            held: held(entity, hasChecksum: true, isProtected: true),
            206,
            ["Content-Range": "bytes 34464-300000/300001"],
            for: .otherTotal
        ),
        // Where nothing is there.
        fails("a whole of another size", held: .none, 200, ["Content-Length": "299999"], for: .otherTotal),
        ResumeRule(
            "a whole of the same size",
            held: .none,
            200,
            ["Content-Length": "300000"],
            limits: known,
            means: .whole(300_000)
        ),
    ]

    @Test func anOverlapThatDiffersDropsNothingOfTheOrigins() {
        let decision = ResumeDecision.overlapDiffers(from: Self.protected, history: ResumeHistory())
        #expect(decision == .fault(.otherSource(.overlapDiffers)))
    }

    private static func joined(_ validator: EntityValidator?) -> ResumeDecision {
        .part(at: start, comparing: 65_536, length: 265_536, total: 300_000, validator: validator, keepsGaps: false)
    }

    static let rules = [
        ResumeRule(
            "the same tag and total: the overlap is compared",
            held: held(entity),
            206,
            ["Content-Range": range, "ETag": tag],
            means: joined(entity)
        ),
        ResumeRule("no tag", held: held(entity), 206, ["Content-Range": range], means: .restart(.unprovenEntity)),
        ResumeRule(
            "a weak tag",
            held: held(entity),
            206,
            ["Content-Range": range, "ETag": "W/" + tag],
            means: .restart(.unprovenEntity)
        ),
        ResumeRule(
            "the tag is of the second in which it was served",
            held: held(entity),
            206,
            ["Content-Range": range, "ETag": tag, "Last-Modified": date, "Date": date],
            means: .restart(.unprovenEntity)
        ),
        ResumeRule(
            "another tag",
            held: held(entity),
            206,
            ["Content-Range": range, "ETag": "\"b\""],
            means: .restart(.otherEntity)
        ),
        ResumeRule(
            "no total",
            held: held(entity),
            206,
            ["Content-Range": "bytes 34464-299999/*", "ETag": tag],
            means: .restart(.unprovenEntity)
        ),
        ResumeRule(
            "another total",
            held: held(entity),
            206,
            ["Content-Range": "bytes 34464-300000/300001", "ETag": tag],
            means: .restart(.otherTotal)
        ),
        ResumeRule(
            "200: another file, or no ranges",
            held: held(entity),
            200,
            ["Content-Length": "300000", "ETag": "\"b\""],
            means: .whole(300_000, validator: .etag("\"b\""))
        ),
        ResumeRule(
            "the range is refused",
            held: held(entity),
            416,
            ["Content-Range": "bytes */100000", "ETag": tag],
            means: .restart(.unprovenEnd)
        ),
        ResumeRule(
            "with a checksum, another tag: the overlap is compared",
            held: held(entity, hasChecksum: true),
            206,
            ["Content-Range": range, "ETag": "\"b\""],
            means: joined(.etag("\"b\""))
        ),
        ResumeRule(
            "with a checksum, another total",
            held: held(entity, hasChecksum: true),
            206,
            ["Content-Range": "bytes 34464-300000/300001"],
            means: .restart(.otherTotal)
        ),
    ]
}
