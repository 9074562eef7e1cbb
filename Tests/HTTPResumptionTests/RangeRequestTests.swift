import SpateHTTPResumption
import Testing

@Suite struct RangeRequestTests {
    @Test(
        arguments: [
            (HeldBytes.none, [], .whole), (HeldBytes(length: 0, total: 0, validator: entity), [], .whole),
            (.some, [], .tail(from: 1_000, ifRange: entity)), (.all, [], .tail(from: 1_000, ifRange: entity)),
            (.dated, [], .tail(from: 1_000, ifRange: dated)),
            (HeldBytes(length: 65_537, validator: entity), [.overlap], .tail(from: 1, ifRange: entity)),
            (.some, [.overlap], .tail(from: 1_000, ifRange: entity)),
            (.unproven, [], .tail(from: 34_464, ifRange: nil)), (.weak, [], .tail(from: 34_464, ifRange: nil)),
            (HeldBytes(length: 65_536), [], .whole), (HeldBytes(length: 65_536, validator: weak), [], .whole),
            (HeldBytes(length: 65_537), [], .tail(from: 1, ifRange: nil)),
            (HeldBytes(length: 1_001, total: 1_000, validator: entity), [], .whole),
            (HeldBytes(length: -1, total: -1), [], .whole),
            (HeldBytes(length: 0, gapEnd: 5, total: 9, validator: entity), [], .tail(from: 0, ifRange: entity)),
            (HeldBytes(length: 0, gapEnd: 5, total: 9, validator: entity), [.overlap], .tail(from: 0, ifRange: entity)),
            (HeldBytes(length: 0, gapEnd: 5, total: 9, validator: weak), [], .whole),
            (HeldBytes(length: 0, gapEnd: 5, total: 9), [], .whole),
            (HeldBytes(length: 0, gapEnd: 9, total: 9, validator: entity), [], .whole),
            (HeldBytes(length: 0, gapEnd: -5, validator: entity), [], .whole),
            (HeldBytes(length: 1_000, gapEnd: 5_000, validator: entity), [], .tail(from: 0, ifRange: entity)),
            (HeldBytes(length: 1_000, validator: entity), [.withoutRange], .whole),
            (HeldBytes(length: .max, total: -1, validator: entity), [], .tail(from: .max - 4_096, ifRange: entity)),
        ] as [(HeldBytes, [ResumeHistory.Step], RangeRequest)]
    )
    func theFirstRequestFollowsFromTheBytesHeld(
        held: HeldBytes,
        tried: [ResumeHistory.Step],
        expected: RangeRequest
    ) {
        var history = ResumeHistory()
        for step in tried { history.record(step) }
        #expect(RangeRequest.first(for: held, history: history) == expected)
    }

    @Test func anOverlapThatDiffersRestartsOnce() {
        var history = ResumeHistory()
        #expect(ResumeDecision.overlapDiffers(from: .some, history: history) == .restart(.overlapDiffers))
        history.record(.restart(.overlapDiffers))
        #expect(
            ResumeDecision.overlapDiffers(from: .some, history: history) == .fault(.repeatedRestart(.overlapDiffers))
        )
    }
}
