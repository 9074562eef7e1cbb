import HTTPResumption
import Testing

/// Bytes of one place of a file, continued from another.
@Suite struct ElsewhereTests {
    private static let start: Int64 = 34_464
    private static let range = "bytes 34464-299999/300000"

    private static func held(_ validator: EntityValidator?, hasChecksum: Bool = false) -> HeldBytes {
        HeldBytes(length: 100_000, gapEnd: 200_000, total: 300_000, validator: validator)
            .elsewhere(hasChecksum: hasChecksum)
    }

    /// A gap's end plays no part there.
    @Test(
        arguments: [
            (held(entity), .tail(from: start, ifRange: entity)),
            (held(dated), .whole),
            (held(weak), .whole),
            (held(nil), .whole),
            (HeldBytes(length: 100_000, validator: entity).elsewhere(hasChecksum: false), .whole),
            (HeldBytes(length: 65_536, total: 300_000, validator: entity).elsewhere(hasChecksum: false), .whole),
            (held(entity, hasChecksum: true), .tail(from: start, ifRange: nil)),
            (held(nil, hasChecksum: true), .tail(from: start, ifRange: nil)),
            (HeldBytes(length: 65_536, total: 300_000).elsewhere(hasChecksum: true), .whole),
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

    private static func joined(_ validator: EntityValidator?) -> ResumeDecision {
        .part(at: start, comparing: 65_536, length: 265_536, total: 300_000, validator: validator)
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
