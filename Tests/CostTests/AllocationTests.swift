import TestSupport
import Testing

/// Allocations, counted in a program that uses the library. A sanitizer has a heap of its own: there the files' bytes are
/// all that is looked at.
@Suite struct AllocationTests {

    @Test func aLargeFileCostsNoAllocationsForItsLength() async throws {
        let count = try await LargeFiles.allocations()
        #expect((count == nil) == Sanitizer.isPresent)
        if let count { CostLimits.allocationsOfBlock.check(count, "for each of \(LargeFiles.blocks) blocks") }
    }

    @Test func aSmallFileCostsNoMoreAllocationsThanItDid() async throws {
        let count = try await SmallFiles.allocations()
        #expect((count == nil) == Sanitizer.isPresent)
        if let count { CostLimits.allocationsOfSmallFile.check(exact: count, "for each file") }
    }
}
