import Testing

/// System calls, counted in the built program: `CostLimits` has what they may come to.
@Suite struct SystemCallTests {
    /// A count that depends on how busy the machine is may be larger by chance, not smaller: it is too large if it is so
    /// time after time.
    private static let tries = 5

    @Test(arguments: CostLimits.filesOfSmallFile)
    func aSmallFileCostsNoMoreCallsOnFilesThanItDid(limit: CallLimit) async throws {
        let calls = try await SmallFiles.cost.value.calls
        limit.cost.check(exact: limit.count(in: calls), calls.description)
    }

    @Test(arguments: CostLimits.othersOfSmallFile)
    func aSmallFileCostsNoMoreOtherCallsThanItDid(limit: CallLimit) async throws {
        try await expect(limit, first: SmallFiles.cost.value.calls) { try await SmallFiles.count().calls }
    }

    @Test(arguments: CostLimits.callsOfMebibyte)
    func aMebibyteCostsNoMoreCallsThanItDid(limit: CallLimit) async throws {
        try await expect(limit, first: LargeFiles.calls.value) { try await LargeFiles.countCalls() }
    }

    private func expect(_ limit: CallLimit, first: CallTable, again: () async throws -> CallTable) async throws {
        var least = first
        for _ in 1..<Self.tries where limit.count(in: least) > limit.cost.limit {
            let calls = try await again()
            if limit.count(in: calls) < limit.count(in: least) { least = calls }
        }
        limit.cost.check(limit.count(in: least), least.description)
    }
}
