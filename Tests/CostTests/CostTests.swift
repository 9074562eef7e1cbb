import SpateTestSupport
import Testing

/// Allocations, counted in a program that uses the library. A sanitizer has a heap of its own: there only the files'
/// bytes are checked.
@Suite(.takesTurns) struct AllocationTests {

    @Test func aLargeFileCostsNoAllocationsForItsLength() async throws {
        var count = try await LargeFiles.allocations()
        #expect((count == nil) == Sanitizer.isPresent)
        // A busy machine makes the count larger, never smaller: progress is noted as time passes.
        for _ in 1..<SystemCallTests.tries {
            guard let first = count, first > CostLimits.allocationsOfBlock.limit else { break }
            count = try await LargeFiles.allocations().map { min($0, first) }
        }
        if let count { CostLimits.allocationsOfBlock.check(count, "for each of \(LargeFiles.blocks) blocks") }
    }

    @Test func aSmallFileCostsNoMoreAllocationsThanItDid() async throws {
        let count = try await SmallFiles.allocations()
        #expect((count == nil) == Sanitizer.isPresent)
        if let count { CostLimits.allocationsOfSmallFile.check(exact: count, "for each file") }
    }
}

/// Connections, counted by the server.
@Suite(.takesTurns) struct ConnectionTests {

    @Test func manyFilesCostNoMoreConnectionsThanDownloadsAtOnce() async throws {
        let count = Double(try await SmallFiles.cost.value.connections)
        CostLimits.connectionsOfThreeAtOnce.check(count, "for 300 files of one server")
    }
}

/// System calls, counted in the built program: `CostLimits` has what they may come to.
@Suite(.takesTurns) struct SystemCallTests {
    /// A busy machine makes some counts larger, never smaller: so the smallest of several runs is checked.
    static let tries = 5

    @Test(arguments: CostLimits.filesOfSmallFile)
    func aSmallFileCostsNoMoreCallsOnFilesThanItDid(limit: CallLimit) async throws {
        // A file that takes seconds is synced once more.
        let calls = try await least(limit, first: SmallFiles.cost.value.calls) { try await SmallFiles.count().calls }
        let count = limit.count(in: calls)
        limit.isShared ? limit.cost.check(count, calls.description) : limit.cost.check(exact: count, calls.description)
    }

    @Test(arguments: CostLimits.othersOfSmallFile)
    func aSmallFileCostsNoMoreOtherCallsThanItDid(limit: CallLimit) async throws {
        let calls = try await SmallFiles.cost.value.calls
        limit.cost.check(limit.count(in: calls), calls.description)
    }

    @Test(arguments: CostLimits.callsOfMebibyte)
    func aMebibyteCostsNoMoreCallsThanItDid(limit: CallLimit) async throws {
        let calls = try await least(limit, first: LargeFiles.calls.value) { try await LargeFiles.countCalls() }
        limit.cost.check(limit.count(in: calls), calls.description)
    }

    /// Counts again as long as it is too much, and there are tries left.
    private func least(
        _ limit: CallLimit,
        first: CallTable,
        again: () async throws -> CallTable
    ) async throws -> CallTable {
        var least = first
        for _ in 1..<Self.tries where limit.count(in: least) > limit.cost.limit {
            let calls = try await again()
            if limit.count(in: calls) < limit.count(in: least) { least = calls }
        }
        return least
    }
}
