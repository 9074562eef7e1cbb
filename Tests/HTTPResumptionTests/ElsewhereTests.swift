import SpateHTTPResumption
import SpateHTTPSyntax
import Testing

/// Bytes of one place of a file, continued from another.
@Suite struct ElsewhereTests {
    private static let start: Int64 = 34_464
    private static let range = "34464-299999/300000"

    private static func held(
        _ validator: EntityValidator?,
        hasChecksum: Bool = false,
        isProtected: Bool = false
    ) -> HeldBytes {
        HeldBytes(length: 100_000, gapEnd: 200_000, total: 300_000, validator: validator)
            .elsewhere(hasChecksum: hasChecksum, isProtected: isProtected)
    }

    private static func elsewhere(_ held: HeldBytes, hasChecksum: Bool = false) -> HeldBytes {
        held.elsewhere(hasChecksum: hasChecksum, isProtected: false)
    }

    private static let unsized = HeldBytes(length: 100_000, validator: entity)
    private static let little = HeldBytes(length: 65_536, total: 300_000, validator: entity)

    @Test func whatASourceHasFilledIsItsOwn() {
        var held = Self.held(entity, isProtected: true)
        #expect(held.isFromElsewhere && held.isProtected && held.gapEnd == nil)
        var filled = FilledRanges(upTo: 150_000)
        filled.insert(200_000..<250_000)
        held.fill(filled)
        #expect(!held.isFromElsewhere && held.isProtected && held.length == 150_000 && held.gapEnd == 200_000)
        filled.insert(150_000..<300_000)
        held.fill(filled)
        #expect(held.length == 300_000 && held.gapEnd == nil && held.total == 300_000 && held.validator == entity)
        held.fill(FilledRanges())
        #expect(held.length == 0 && !held.isProtected)
    }

    /// A gap's end plays no part there.
    @Test(
        arguments: [
            (held(entity), .tail(from: start, ifRange: entity)), (held(dated), .whole), (held(weak), .whole),
            (held(nil), .whole), (elsewhere(unsized), .whole), (elsewhere(little), .whole),
            (held(entity, hasChecksum: true), .tail(from: start, ifRange: nil)),
            (held(nil, hasChecksum: true), .tail(from: start, ifRange: nil)),
            (elsewhere(little, hasChecksum: true), .whole),
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
    private static let protectedSum = held(entity, hasChecksum: true, isProtected: true)
    private static let summed = held(entity, hasChecksum: true)
    private static let known = ResponseLimits(originTotal: 300_000)
    private static let proven = ResponseLimits(originTotal: 300_000, hasProof: true)
    /// A part whose total is not stated.
    private static let open = "34464-299999/*"

    /// The fields of a 206.
    private static func part(_ range: String = range, _ etag: String? = tag, dates: String? = nil) -> HTTPFields {
        var fields: HTTPFields = ["Content-Range": "bytes \(range)"]
        if let etag { fields.append(name: "ETag", value: etag) }
        for name in ["Last-Modified", "Date"] {
            if let dates { fields.append(name: name, value: dates) }
        }
        return fields
    }

    private static func whole(_ length: String, _ etag: String? = nil) -> HTTPFields {
        var fields: HTTPFields = ["Content-Length": length]
        if let etag { fields.append(name: "ETag", value: etag) }
        return fields
    }

    private static func fails(
        _ claim: String,
        held: HeldBytes = protected,
        _ status: Int,
        _ fields: HTTPFields,
        for cause: RestartCause
    ) -> ResumeRule {
        ResumeRule(claim, held: held, status, fields, limits: known, means: .fault(.otherSource(cause)))
    }

    private static let larger = "34464-300000/300001"

    static let protectedRules = [
        ResumeRule("the same tag and total", held: protected, 206, part(), limits: known, means: joined(entity)),
        fails("another tag", 206, part(range, "\"b\""), for: .otherEntity),
        fails("no tag", 206, part(range, nil), for: .unprovenEntity),
        fails("another start", 206, part("0-299999/300000"), for: .wrongStart),
        fails("another total", 206, part("34464-9/10"), for: .malformedRange),
        fails("a larger total", 206, part(larger), for: .otherTotal),
        fails("200 of the same size", 200, whole("300000", tag), for: .unprovenEntity),
        fails("200 of another size", 200, whole("36"), for: .otherTotal),
        fails("200 without a size", 200, ["ETag": tag], for: .otherTotal),
        fails("an empty 200", 200, whole("0"), for: .otherTotal),
        fails("416", 416, part("*/300000"), for: .unprovenEnd),
        fails("a checksum, 200 of the same size", held: protectedSum, 200, whole("300000"), for: .unprovenEntity),
        fails("a checksum, a larger total", held: protectedSum, 206, part(larger, nil), for: .otherTotal),
        // Where nothing is there.
        fails("a whole of another size", held: .none, 200, whole("299999"), for: .otherTotal),
        ResumeRule("of the same size", held: .none, 200, whole("300000"), limits: known, means: .whole(300_000)),
        // With a checksum, the size need not be stated: it is the known one.
        fails("a whole without a size", held: .none, 200, [:], for: .otherTotal),
        ResumeRule(
            "a checksum, a whole without a size",
            held: .none,
            200,
            limits: proven,
            means: .whole(300_000, isAnnounced: false)
        ),
        ResumeRule(
            "a checksum, a whole of another size",
            held: .none,
            200,
            whole("299999"),
            limits: proven,
            means: .fault(.otherSource(.otherTotal))
        ),
        fails("a part without a total", held: protectedSum, 206, part(open, "\"b\""), for: .otherTotal),
        ResumeRule(
            "a checksum, a part without a total",
            held: protectedSum,
            206,
            part(open, "\"b\""),
            limits: proven,
            means: joinedUnderSum
        ),
    ]

    @Test func anOverlapThatDiffersDropsNothingOfTheOrigins() {
        let decision = ResumeDecision.overlapDiffers(from: Self.protected, history: ResumeHistory())
        #expect(decision == .fault(.otherSource(.overlapDiffers)))
    }

    private static let joinedUnderSum = ResumeDecision.part(
        at: start,
        comparing: 65_536,
        length: 265_536,
        total: 300_000,
        validator: .etag("\"b\""),
        keepsGaps: false,
        isJoined: true
    )

    private static func joined(_ validator: EntityValidator?) -> ResumeDecision {
        .part(at: start, comparing: 65_536, length: 265_536, total: 300_000, validator: validator, keepsGaps: false)
    }

    static let rules = [
        ResumeRule("the same tag and total", held: held(entity), 206, part(), means: joined(entity)),
        ResumeRule("no tag", held: held(entity), 206, part(range, nil), means: .restart(.unprovenEntity)),
        ResumeRule("a weak tag", held: held(entity), 206, part(range, "W/" + tag), means: .restart(.unprovenEntity)),
        // Of the second in which it was served.
        ResumeRule("such a tag", held: held(entity), 206, part(dates: date), means: .restart(.unprovenEntity)),
        ResumeRule("another tag", held: held(entity), 206, part(range, "\"b\""), means: .restart(.otherEntity)),
        ResumeRule("no total", held: held(entity), 206, part("34464-299999/*"), means: .restart(.unprovenEntity)),
        ResumeRule("another total", held: held(entity), 206, part(larger), means: .restart(.otherTotal)),
        ResumeRule(
            "200: another file, or no ranges",
            held: held(entity),
            200,
            whole("300000", "\"b\""),
            means: .whole(300_000, validator: .etag("\"b\""))
        ),
        ResumeRule("the range is refused", held: held(entity), 416, part("*/100000"), means: .restart(.unprovenEnd)),
        ResumeRule("a checksum, another tag", held: summed, 206, part(range, "\"b\""), means: joinedUnderSum),
        ResumeRule("a checksum, another total", held: summed, 206, part(larger, nil), means: .restart(.otherTotal)),
    ]
}
