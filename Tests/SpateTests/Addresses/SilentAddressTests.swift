import Foundation
import SpateHosts
import SpateTestSupport
import Testing

@testable import Spate

/// An address that refuses or does not answer is left for another one, before the attempt fails. These managers make one
/// attempt.
@Suite(.mostlyWaits) struct SilentAddressTests {
    private static let bytes = TestBytes.random(count: 3 << 20)
    private static let file = TestFile(bytes, etag: "\"v1\"")
    /// After how long a server counts as silent. On a busy machine one that answers may take a second.
    private static let silence = Duration.seconds(2)

    private func server(at address: Int, port: UInt16 = 0) throws -> TestServer {
        try TestServer(port: port, address: "127.0.0.\(address)") { .file(Self.file, for: $0) }
    }

    private func expectWhole(_ download: Download) async throws {
        let file = try await download.ended().get()
        #expect(TestBytes.difference(try Data(contentsOf: file), from: Self.bytes) == nil)
    }

    @Test func afterAnAddressThatNeverAnswersTheNextOneIsAsked() async throws {
        let gate = try Gate()
        let first = try TestServer { .file(Self.file, for: $0).heldBack(by: gate) }
        let second = try server(at: 2, port: first.port)
        let host = try AddressedHost(first.port, addresses: 2) { $0.stallTimeout = Self.silence }
        try await expectWhole(host.manager.download(host.url))
        #expect(first.requests.count == 1 && second.requests.count == 1)
        gate.open()
    }

    @Test func ofEightAddressesTheOneThatAnswersIsFound() async throws {
        let gate = try Gate()
        let first = try TestServer { .file(Self.file, for: $0).heldBack(by: gate) }
        let silent = try (2...7).map { address in
            try TestServer(port: first.port, address: "127.0.0.\(address)") {
                .file(Self.file, for: $0).heldBack(by: gate)
            }
        }
        let last = try server(at: 8, port: first.port)
        let host = try AddressedHost(first.port, addresses: 8) { $0.stallTimeout = Self.silence }
        try await expectWhole(host.manager.download(host.url))
        #expect(([first] + silent + [last]).allSatisfy { $0.requests.count == 1 })
        gate.open()
    }

    @Test func ofAddressesThatTakeNoConnectionTheOneThatDoesIsFound() async throws {
        let last = try server(at: 4)
        let dead = try (1...3).map { try DeadPort(.unanswering, port: last.port, address: "127.0.0.\($0)") }
        let host = try AddressedHost(last.port, addresses: 4) { $0.connectTimeout = Self.silence }
        try await expectWhole(host.manager.download(host.url))
        #expect(last.requests.count == 1 && dead.count == 3)
    }

    @Test func afterAChosenAddressThatRefusesTheNextOneIsAsked() async throws {
        let gate = try Gate()
        let first = try TestServer { .file(Self.file, for: $0).heldBack(by: gate) }
        let dead = try DeadPort(.refusing, port: first.port, address: "127.0.0.2")
        let third = try server(at: 3, port: first.port)
        let host = try AddressedHost(first.port, addresses: 3) { $0.stallTimeout = Self.silence }
        try await expectWhole(host.manager.download(host.url))
        #expect(third.requests.count == 1 && dead.port == first.port)
        gate.open()
    }

    @Test func aBodyThatStallsIsContinuedElsewhere() async throws {
        let first = try TestServer { .file(Self.file, for: $0).stalled(after: 2 << 20) }
        let second = try server(at: 2, port: first.port)
        let host = try AddressedHost(first.port, addresses: 2) { $0.stallTimeout = Self.silence }
        try await expectWhole(host.manager.download(host.url))
        #expect(second.requests.first?.range != nil && second.bytesSent < 2 << 20)
    }

    @Test func ifNoAddressAnswersTheAttemptFailsAndTheNextOneFailsSoon() async throws {
        let gate = try Gate()
        let first = try TestServer { .file(Self.file, for: $0).heldBack(by: gate) }
        let second = try TestServer(port: first.port, address: "127.0.0.2") {
            .file(Self.file, for: $0).heldBack(by: gate)
        }
        let host = try AddressedHost(first.port, addresses: 2) { $0.stallTimeout = Self.silence }
        #expect(try await host.manager.download(host.url).ended().error?.code == .timedOut)
        #expect(first.requests.count == 1 && second.requests.count == 1)
        #expect(try await host.manager.download(host.url).ended().error?.code == .timedOut)
        #expect(first.requests.count + second.requests.count == 3)
        gate.open()
    }

    @Test func anOnlyAddressFailsAsBefore() async throws {
        let gate = try Gate()
        let server = try TestServer { .file(Self.file, for: $0).heldBack(by: gate) }
        let host = try AddressedHost(server.port, addresses: 1) { $0.stallTimeout = Self.silence }
        #expect(try await host.manager.download(host.url).ended().error?.code == .timedOut)
        #expect(server.requests.count == 1 && host.transport.lookups.value == 1)
        gate.open()
    }

    @Test func aRefusedConnectionIsNotLookedUp() async throws {
        let dead = try DeadPort(.refusing)
        let host = try AddressedHost(dead.port, addresses: 1)
        #expect(try await host.manager.download(host.url).ended().error?.code == .connectionFailed)
        #expect(host.transport.lookups.value == 0)
    }

    @Test func aPauseDoesNotWaitForALookup() async throws {
        let gate = try Gate()
        let server = try TestServer { .file(Self.file, for: $0).heldBack(by: gate) }
        let host = try AddressedHost(server.port, addresses: 2) { $0.stallTimeout = Self.silence }
        let ends = Recorder<Duration>()
        host.transport.holdLookups { [weak manager = host.manager, url = host.url] in
            let (download, start) = (manager?[url], ContinuousClock.now)
            download?.operation?.completionBlock = { ends.append(.now - start) }
            download?.pause()
        }
        let download = host.manager.download(host.url)
        let ended = try #require(try await ends.wait(forCount: 1).first)
        #expect(ended < HostAddresses.longestLookup / 2 && download.state.isPaused)
        gate.open()
    }

    @Test func behindAGivenProxyNoAddressIsChosen() async throws {
        let proxy = try SOCKSProxy()
        let first = try TestServer { .file(Self.file, for: $0).stalled(after: 2 << 20) }
        let second = try server(at: 2, port: first.port)
        let host = try AddressedHost(first.port, addresses: 2) { $0.stallTimeout = Self.silence }
        // Without it, the addresses become known to the process.
        try await expectWhole(host.manager.download(host.url))
        #expect(second.requests.count == 1 && host.transport.lookups.value == 1)
        var configuration = host.manager.configuration
        configuration.directory = host.folder.url("other")
        configuration.proxy = try DownloadProxy("socks5h://127.0.0.1:\(proxy.port)")
        let manager = DownloadManager(configuration: configuration, in: host.manager.surroundings)
        #expect(try await manager.download(host.url).ended().error?.code == .timedOut)
        #expect(first.requests.count == 2 && second.requests.count == 1 && host.transport.lookups.value == 1)
        #expect(proxy.asked == [.name("cdn.test")])
    }
}
