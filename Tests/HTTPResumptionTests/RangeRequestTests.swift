import HTTPResumption
import Testing

@Suite struct RangeRequestTests {
    @Test(
        arguments: [
            (0, HeldBytes.none, [], .whole),
            (0, HeldBytes(length: 0, total: 0, validator: entity), [], .whole),
            (20, .some, [], .tail(from: 1_000, ifRange: entity)),
            (24, HeldBytes(length: 65_537, validator: entity), [.overlap], .tail(from: 1, ifRange: entity)),
            (24, .some, [.overlap], .tail(from: 1_000, ifRange: entity)),
            (39, .unproven, [], .tail(from: 34_464, ifRange: nil)),
            (39, HeldBytes(length: 65_536), [], .whole),
            (39, HeldBytes(length: 65_537), [], .tail(from: 1, ifRange: nil)),
            (41, .dated, [], .tail(from: 1_000, ifRange: dated)),
            (43, HeldBytes(length: 1_001, total: 1_000, validator: entity), [], .whole),
            (44, .all, [], .tail(from: 1_000, ifRange: entity)),
            (74, HeldBytes(length: 100_000), [], .tail(from: 34_464, ifRange: nil)),
            (77, HeldBytes(length: -1, total: -1), [], .whole),
            (77, HeldBytes(length: .max, total: -1, validator: entity), [], .tail(from: .max, ifRange: entity)),
        ] as [(Int, HeldBytes, [ResumeHistory.Step], RangeRequest)]
    )
    func theFirstRequestFollowsFromTheBytesHeld(
        line: Int,
        held: HeldBytes,
        tried: [ResumeHistory.Step],
        expected: RangeRequest
    ) {
        var history = ResumeHistory()
        tried.forEach { history.record($0) }
        #expect(RangeRequest.first(for: held, history: history) == expected)
    }

    /// 42
    @Test func bytesThatDifferStartOverOnce() {
        var history = ResumeHistory()
        #expect(ResumeDecision.overlapDiffers(history: history) == .restart(.overlapDiffers))
        history.record(.restart(.overlapDiffers))
        #expect(ResumeDecision.overlapDiffers(history: history) == .fault(.repeatedRestart(.overlapDiffers)))
    }

    /// 40
    @Test func aDateOfTheSameSecondLeadsToAnOverlap() {
        let head = ResponseHead(status: 200, fields: ["Last-Modified": date, "Date": date])
        let held = HeldBytes(length: 100_000, validator: EntityValidator(head: head))
        #expect(RangeRequest.first(for: held) == .tail(from: 34_464, ifRange: nil))
    }
}
