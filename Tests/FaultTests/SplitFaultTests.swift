import Foundation
import Locking
import Spate
import TestSupport
import Testing

/// Wrong answers while a file is fetched over four connections (ResumptionRules.md S11 to S16).
@Suite(.mostlyWaits) struct SplitFaultTests {
    @Test(arguments: SplitFault.lines) func whateverHelpersMeetTheFileArrives(line: String) async throws {
        try await together(SplitFault.all(of: line)) { fault in
            try await expectFile(under: fault) { request, _ in request.isForGap }
        }
    }

    @Test(arguments: SplitFault.lines) func whateverOneHelperMeetsTheFileArrives(line: String) async throws {
        try await together(SplitFault.all(of: line)) { fault in
            try await expectFile(under: fault) { request, number in request.isForGap && number == 2 }
        }
    }

    @Test(arguments: SplitFault.lines) func whateverTheFirstConnectionMeetsNothingIsMixed(line: String) async throws {
        try await together(SplitFault.all(of: line)) { fault in
            _ = try await end(under: fault) { request, _ in !request.isForGap }
        }
    }

    @Test(arguments: SplitFault.lines)
    func whateverAllMeetAfterTheFirstAnswerNothingIsMixed(line: String) async throws {
        try await together(SplitFault.all(of: line)) { fault in
            _ = try await end(under: fault, cuttingFirst: true) { request, _ in request.sequence > 1 }
        }
    }

    private func expectFile(
        under fault: SplitFault,
        where isMet: @escaping @Sendable (ReceivedRequest, Int) -> Bool
    ) async throws {
        let (story, result) = try await end(under: fault, where: isMet)
        if case .failure(let error) = result { return _ = Issue.record("\(fault.description): \(error)") }
        #expect(SplitStory.version(of: try story.test.bytes("f")) == 1, "\(fault.description)")
        #expect(
            story.server.requests.allSatisfy { !$0.isForGap || $0.ifRange == "\"v1\"" },
            "\(fault.description)"
        )
    }

    /// - Parameter isMet: whether a request, the second of its kind for 2, meets the fault. A request for a gap is one
    ///   kind, every other request the other.
    private func end(
        under fault: SplitFault,
        cuttingFirst: Bool = false,
        where isMet: @escaping @Sendable (ReceivedRequest, Int) -> Bool
    ) async throws -> (story: SplitStory, result: Result<URL, DownloadError>) {
        let met = Locked<Set<Int>>([])
        let counts = Locked<[Bool: Int]>([:])
        // Slow until somebody has met it: else the first connection may have all before a busy machine starts a helper.
        let story = try SplitStory(
            fault.description,
            bytesPerSecond: met.withLock { $0.isEmpty } ? 1 << 20 : SplitStory.bytesPerSecond
        ) {
            if fault.stalls { $0.stallTimeout = .milliseconds(400) }
        } answering: { request in
            let number = counts.withLock { counts in
                counts[request.isForGap, default: 0] += 1
                return counts[request.isForGap, default: 0]
            }
            let right = Reply.file(SplitStory.file, for: request)
            guard isMet(request, number) else {
                return cuttingFirst && request.sequence == 1 ? right.cut(after: 1_500_000) : right
            }
            met.withLock { _ = $0.insert(request.sequence) }
            return fault.bend(request.asked, right)
        }
        let result = try await story.end(wasFutile: { request in
            !fault.bringsSome && met.withLock { $0.contains(request.sequence) }
        })
        #expect(met.withLock { !$0.isEmpty }, "\(fault.description): nobody met the fault")
        return (story, result)
    }
}
