import Foundation
import SpateHTTPSyntax
import SpateTestSupport
import Testing

@testable import Spate
@testable import SpateHosts

@Suite struct HostLedgerTests {
    private let test: SilentManager
    private let a: HTTPOrigin
    private let b: HTTPOrigin
    private var ledger = HostLedger<WaitingDownload>(limit: 2)

    init() throws {
        test = try SilentManager()
        (a, b) = (try HTTPURL("http://a/").origin, try HTTPURL("http://b/").origin)
    }

    private func waiting(_ serial: UInt64) -> WaitingDownload {
        let download = Download(DownloadRequest(test.url("\(serial)")), nil, serial: serial, manager: test.manager)
        return WaitingDownload(download: download, attempt: 1, manager: test.manager)
    }

    private mutating func lease(_ host: HTTPOrigin) throws -> HostLease {
        let lease = ledger.lease(host, now: .zero)
        return try #require(lease)
    }

    private mutating func hasRoom(_ host: HTTPOrigin, urgently: Bool = false) -> Bool {
        guard let lease = ledger.lease(host, urgently: urgently, now: .zero) else { return false }
        ledger.giveBack(lease, now: .zero)
        return true
    }

    private mutating func note(_ refusal: HostRestraint.Refusal) -> Bool {
        ledger.note(refusal, at: a, of: nil, now: .zero)
    }

    @Test mutating func aLeaseIsGivenBackOnce() throws {
        let leases = [try lease(a), try lease(a)]
        let hasRoom = hasRoom(a)
        #expect(!hasRoom && ledger.connectionCount == 2)
        for _ in 0..<3 { ledger.giveBack(leases[0], now: .zero) }
        #expect(ledger.connectionCount == 1 && ledger.connectionCount(a) == 1)
        let third = try lease(a)
        ledger.giveBack(leases[0], now: .zero)
        #expect(ledger.connectionCount(a) == 2)
        for lease in [third, leases[1], third] { ledger.giveBack(lease, now: .zero) }
        #expect(ledger.connectionCount == 0 && ledger.connectionCount(a) == 0)
    }

    @Test mutating func theConnectionsOfManyHostsAreCountedApartWhileTheyComeAndGo() throws {
        let hosts = try (0..<6).map { try HTTPURL("http://h\($0)/").origin }
        var (random, leases) = (SeededRandom(seed: 4), [(host: HTTPOrigin, lease: HostLease)]())
        for _ in 0..<3_000 {
            if Bool.random(using: &random), let host = hosts.randomElement(using: &random) {
                let open = leases.count { $0.host == host }
                let lease = ledger.lease(host, now: .zero)
                #expect((lease != nil) == (open < 2))
                if let lease { leases.append((host, lease)) }
            } else if let index = leases.indices.randomElement(using: &random) {
                let (host, lease) = leases.remove(at: index)
                #expect(hosts.filter { ledger.isLease(lease, of: $0) } == [host])
                // A second time it changes nothing.
                for _ in 0..<2 { ledger.giveBack(lease, now: .zero) }
                #expect(!ledger.isLease(lease, of: host))
            }
            for host in hosts { #expect(ledger.connectionCount(host) == leases.count { $0.host == host }) }
            #expect(ledger.connectionCount == leases.count)
        }
    }

    @Test mutating func noneIsFirstWhoseHostIsFull() throws {
        let leases = [try lease(a), try lease(a)]
        ledger.append(waiting(1), at: a, now: .zero)
        #expect(ledger.first(now: .zero) == nil && ledger.count == 1)
        let other = try lease(b)
        #expect(ledger.isLease(other, of: b) && !ledger.isLease(other, of: a))
        ledger.giveBack(leases[0], now: .zero)
        #expect(ledger.first(now: .zero)?.host == a)
    }

    @Test mutating func ofSeveralHostsWithRoomTheOneThatWasEnqueuedEarlierIsFirst() throws {
        let hosts = try (0..<8).map { try HTTPURL("http://host\($0)/").origin }
        for (serial, host) in zip([5, 3, 7, 1, 8, 2, 6, 4] as [UInt64], hosts) {
            ledger.append(waiting(serial), at: host, now: .zero)
        }
        var order: [UInt64] = []
        while let first = ledger.first(now: .zero), let next = ledger.popFirst(at: first.host, now: .zero) {
            order.append(next.download.serial)
        }
        #expect(order == Array(1...8) && ledger.count == 0)
    }

    @Test mutating func helpersTakeNoRoomForWhichADownloadWaits() throws {
        let leases = [try lease(a), try lease(a)]
        ledger.append(waiting(1), at: a, now: .zero)
        ledger.giveBack(leases[0], now: .zero)
        #expect(ledger.room(at: a, others: 0, isAutomatic: false, now: .zero).helpers == 0)
        let next = ledger.popFirst(at: a, now: .zero)
        #expect(next != nil)
        #expect(ledger.room(at: a, others: 0, isAutomatic: false, now: .zero).helpers == 1)
    }

    /// The limit is of a manager, but a helper that it can do without is not worth another connection to the host.
    @Test mutating func connectionsOfOtherManagersTakeTheRoomOfHelpers() throws {
        let lease = try lease(a)
        #expect(ledger.room(at: a, others: 1, isAutomatic: false, now: .zero).helpers == 0)
        ledger.giveBack(lease, now: .zero)
        #expect(ledger.room(at: a, others: 1, isAutomatic: false, now: .zero).helpers == 1)
        let hasRoom = hasRoom(a)
        #expect(hasRoom)
    }

    @Test(arguments: [false, true], [0, 1, 29, 30, 31, 32, 33])
    func automaticHelpersTakeAtMost32ConnectionsOfTheProcess(isAutomatic: Bool, others: Int) {
        var ledger = HostLedger<WaitingDownload>(limit: nil)
        let first = ledger.lease(a, now: .zero)
        let open = others + 1
        let room = ledger.room(at: a, others: others, isAutomatic: isAutomatic, now: .zero)
        #expect(first != nil && room.helpers == (isAutomatic ? max(0, 32 - open) : .max - open))
        #expect(room.mayReplaceFirst == (!isAutomatic || open <= 32))
        let helper = ledger.leaseHelper(a, others: others, isAutomatic: isAutomatic, isOnly: false, now: .zero)
        #expect((helper != nil) == (!isAutomatic || open < 32))
    }

    /// The attempt keeps the lease of its first connection, so a helper that is the only one has two.
    @Test(arguments: [1, 2]) func theOnlyHelperIsReplacedWhereTheHostAllowsBothForAMoment(limit: Int) {
        var ledger = HostLedger<WaitingDownload>(limit: limit)
        let first = ledger.lease(a, now: .zero)
        let helper = ledger.leaseHelper(a, others: 0, isAutomatic: false, isOnly: true, now: .zero)
        let room = ledger.room(at: a, others: 0, isAutomatic: false, now: .zero)
        #expect(first != nil && helper != nil && room.helpers == 0)
        #expect(!room.mayReplaceFirst && room.mayReplaceHelper == (limit == 2))
    }

    /// The first connection keeps its lease when it has ended, and the host sees one connection.
    @Test mutating func oneThatTakesThePlaceOfTheFirstNeedsNoRoom() throws {
        ledger = HostLedger<WaitingDownload>(limit: 1)
        _ = try lease(a)
        let helpers = [false, true].map {
            ledger.leaseHelper(a, others: 0, isAutomatic: false, isOnly: $0, now: .zero) != nil
        }
        #expect(helpers == [false, true])
    }

    @Test mutating func refusalsOfSeveralDownloadsHalveTheRoom() throws {
        ledger = HostLedger(limit: nil)
        let leases = try (0..<8).map { _ in try lease(a) }
        let refused = [waiting(1), waiting(2)]
        for waiting in refused {
            let refusal = HostRestraint.Refusal(host: a, wait: nil, isOfHost: true)
            _ = ledger.note(refusal, at: a, of: (ObjectIdentifier(waiting.download), began: .zero), now: .seconds(1))
        }
        for lease in leases[..<4] { ledger.giveBack(lease, now: .seconds(1)) }
        let fifth = ledger.lease(a, now: .seconds(1))
        ledger.giveBack(leases[4], now: .seconds(1))
        let fourth = ledger.lease(a, now: .seconds(1))
        #expect(fifth == nil && fourth != nil)
    }

    @Test mutating func aHelpersRefusalKeepsTheHostQuiet() {
        let refusal = HostRestraint.Refusal(host: a, wait: .seconds(3), isOfHost: true)
        let areNew = [note(refusal), note(refusal)]
        #expect(areNew == [true, false])
        let hasRoom = [hasRoom(a), hasRoom(a, urgently: true)]
        #expect(hasRoom == [false, true] && ledger.room(at: a, others: 0, isAutomatic: false, now: .zero).helpers == 0)
        let changes = [ledger.refresh(a, now: .seconds(1)), ledger.refresh(a, now: .seconds(3))]
        #expect(
            changes == [.seconds(3), nil]
                && ledger.room(at: a, others: 0, isAutomatic: false, now: .seconds(3)).helpers == 2
        )
    }
}
