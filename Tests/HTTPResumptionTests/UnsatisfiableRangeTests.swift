import HTTPResumption
import Testing

@Suite struct UnsatisfiableRangeTests {
    @Test(arguments: rules)
    func a416CompletesOnlyWhatIsProvenToBeAll(rule: ResumeRule) {
        #expect(rule.decision == rule.expected)
    }

    private static let probe = RangeRequest.tail(from: 999, ifRange: entity)
    private static let all: HTTPFields = ["Content-Range": "bytes */1000"]
    private static let unknownTotal = HeldBytes(length: 1_000, validator: entity)

    static let rules = [
        ResumeRule(35, "all is here", held: .all, 416, all, means: .complete(total: 1_000)),
        ResumeRule(35, "the total was unknown", held: unknownTotal, 416, all, means: .complete(total: 1_000)),
        ResumeRule(
            35,
            "by its date",
            held: HeldBytes(length: 1_000, validator: dated),
            416,
            all,
            means: .complete(total: 1_000)
        ),
        ResumeRule(
            35,
            "with the tag",
            held: .all,
            416,
            ["Content-Range": "bytes */1000", "ETag": tag],
            means: .complete(total: 1_000)
        ),
        ResumeRule(
            35,
            "another tag",
            held: .all,
            416,
            ["Content-Range": "bytes */1000", "ETag": "\"b\""],
            means: .restart(.otherEntity)
        ),
        ResumeRule(35, "not the known total", 416, all, means: .restart(.otherTotal)),
        ResumeRule(
            35,
            "no validator",
            held: .unproven,
            416,
            ["Content-Range": "bytes */100000"],
            means: .restart(.otherTotal)
        ),
        ResumeRule(
            35,
            "no validator and no total",
            held: HeldBytes(length: 100_000),
            416,
            ["Content-Range": "bytes */100000"],
            means: .restart(.unprovenEnd)
        ),
        ResumeRule(
            35,
            "it denies a byte that it has",
            held: .all,
            request: probe,
            416,
            all,
            means: .restart(.unprovenEnd)
        ),
        ResumeRule(
            35,
            "without a condition, it must name the entity",
            held: .all,
            request: .tail(from: 1_000, ifRange: nil),
            416,
            all,
            means: .ask(probe, .lastByte)
        ),
        ResumeRule(
            18,
            "all is here, and not as much as expected",
            held: .all,
            416,
            all,
            limits: ResponseLimits(expectedBytes: 999),
            means: .fault(.otherSize(expected: 999, actual: 1_000))
        ),
        ResumeRule(
            18,
            "all is here, and less than the total that the caller expects",
            held: HeldBytes(length: 1_000, total: 1_001, validator: entity),
            416,
            all,
            limits: ResponseLimits(expectedBytes: 1_001),
            means: .fault(.otherSize(expected: 1_001, actual: 1_000))
        ),
        ResumeRule(36, "shorter", held: .all, 416, ["Content-Range": "bytes */999"], means: .restart(.remoteShorter)),
        ResumeRule(36, "empty", held: .all, 416, ["Content-Range": "bytes */0"], means: .restart(.remoteShorter)),
        ResumeRule(36, "longer", held: .all, 416, ["Content-Range": "bytes */1001"], means: .restart(.remoteLonger)),
        ResumeRule(
            36,
            "longer again",
            held: .all,
            416,
            ["Content-Range": "bytes */1001"],
            tried: [.restart(.remoteLonger)],
            means: .fault(.repeatedRestart(.remoteLonger))
        ),
        ResumeRule(37, "no Content-Range", held: .all, 416, means: .ask(probe, .lastByte)),
        ResumeRule(
            37,
            "nonsense",
            held: .all,
            416,
            ["Content-Range": "bytes 0-999/1000"],
            means: .ask(probe, .lastByte)
        ),
        ResumeRule(
            37,
            "two that differ",
            held: .all,
            416,
            ["Content-Range": "bytes */1000", "Content-Range": "bytes */1001"],
            means: .ask(probe, .lastByte)
        ),
        ResumeRule(
            37,
            "asked already",
            held: .all,
            request: probe,
            416,
            tried: [.lastByte],
            means: .restart(.unprovenEnd)
        ),
        ResumeRule(37, "no validator", held: .unproven, 416, means: .restart(.unprovenEnd)),
        ResumeRule(
            37,
            "the last byte is there, and nothing after it",
            held: .all,
            request: probe,
            206,
            ["Content-Range": "bytes 999-999/1000", "ETag": tag],
            tried: [.lastByte],
            means: .part(at: 999, comparing: 1, length: 1, total: 1_000)
        ),
        ResumeRule(
            37,
            "there is more",
            held: unknownTotal,
            request: probe,
            206,
            ["Content-Range": "bytes 999-1999/2000", "ETag": tag],
            tried: [.lastByte],
            means: .part(at: 999, comparing: 1, length: 1_001, total: 2_000)
        ),
        ResumeRule(31, "416 without having asked for a range", held: .none, 416, all, means: .fault(.status(416))),
    ]
}
