import Foundation
import SpateHTTPTransport
import SpateTestSupport
import Testing

@testable import Spate

/// How often a host is tried that is not found (ResumptionRules.md 112).
@Suite(.takesTurns) struct UnknownNameTests {
    private let missing = "missing.test"
    private let server: TestServer

    init() throws {
        server = try TestServer { .file([1, 2, 3], for: $0) }
    }

    private func host(
        _ answer: LookupAnswer,
        _ change: (inout RetryPolicy) -> Void = { _ in }
    ) throws -> AddressedHost {
        try AddressedHost(server.port, addresses: 1, unfound: [missing: answer]) {
            $0.retry = RetryPolicy(firstDelay: .zero, maximumDelay: .zero)
            change(&$0.retry)
        }
    }

    /// How many requests a URL of the host that is not found leads to.
    private func tries(_ host: AddressedHost, mirrors: [URL] = []) async throws -> Int {
        var request = DownloadRequest(try #require(URL(string: "http://\(missing)/\(UUID())")))
        request.mirrors = mirrors
        let before = host.transport.hosts.value.count
        let end = try await host.manager.download(request).ended()
        if mirrors.isEmpty { #expect(end.error?.code == .hostNotFound && end.error?.isRetryable == true) }
        return host.transport.hosts.value.dropFirst(before).count { $0 == missing }
    }

    /// Another name is found.
    private func findOther(_ host: AddressedHost) async throws {
        _ = try await host.manager.download(host.url).ended().get()
    }

    @Test func aNameThatDoesNotExistIsTriedTwice() async throws {
        let host = try host(.noSuchName)
        try await findOther(host)
        #expect(try await tries(host) == 2)
        #expect(try await tries(host) == 2)
        #expect(host.transport.lookups.value == 1, "the answer is known for a while")
    }

    @Test func whileNoOtherNameWasFoundAllRetriesAreMade() async throws {
        let host = try host(.noSuchName)
        #expect(try await tries(host) == 6)
        #expect(host.transport.lookups.value == 0)
    }

    @Test func ifNoNameServerAnswersAllRetriesAreMade() async throws {
        let host = try host(.unknown)
        try await findOther(host)
        #expect(try await tries(host) == 6)
    }

    @Test(arguments: [(0, 5, 1), (3, 5, 4), (100, 5, 6), (-1, 5, 1), (1, 0, 1)])
    func thePolicySaysHowMany(ofUnknownName: Int, all: Int, expected: Int) async throws {
        let host = try host(.noSuchName) {
            $0.maxRetriesOfUnknownName = ofUnknownName
            $0.maxRetriesWithoutProgress = all
        }
        try await findOther(host)
        #expect(try await tries(host) == expected)
    }

    @Test func aMirrorIsAskedAtOnce() async throws {
        let host = try host(.noSuchName)
        try await findOther(host)
        #expect(try await tries(host, mirrors: [host.url.appending(path: "mirror")]) == 1)
    }

    @Test func aLookupThatNeverEndsDelaysTheEndByASecondAndMeansNothing() async throws {
        let host = try host(.noSuchName) { $0.maxRetriesWithoutProgress = 2 }
        try await findOther(host)
        host.transport.holdLookups()
        #expect(try await tries(host) == 3)
    }

    @Test func aPauseDoesNotWaitForTheAnswer() async throws {
        let host = try host(.noSuchName)
        try await findOther(host)
        host.transport.holdLookups()
        let download = host.manager.download(try #require(URL(string: "http://\(missing)/f")))
        try await host.transport.lookups.wait(until: { $0 == 1 })
        download.pause()
        try await eventually("its slot is free") { host.manager.holdings.slots == 0 }
        let isPaused = if case .paused = download.state { true } else { false }
        #expect(isPaused, "\(download.state)")
    }
}
