import Foundation
import SpateHTTPSyntax
import SpateTestSupport
import Testing

@testable import SpateHTTPTransport

/// Which loop a transfer is given to.
@Suite final class LoopPoolTests {
    private var pool = LoopPool(count: 3)
    private let small: TransportRequest

    init() throws {
        small = try TransportRequest(#require(URL(string: "https://example.com/file")), isOneOfMany: true)
    }

    deinit {
        pool.stopAll()
    }

    private func loops(_ count: Int, for request: TransportRequest) throws -> [EventLoop] {
        try (0..<count).map { _ in
            let loop = pool.loop(for: request, pool.experience.forecast(for: request))
            return try #require(loop)
        }
    }

    @Test func smallTransfersSpreadOverLoops() throws {
        let request = try TransportRequest(#require(URL(string: "http://example.com/file")), isOneOfMany: true)
        #expect(Set(try loops(12, for: request).map { ObjectIdentifier($0) }).count == 3)
    }

    /// Large bodies on one connection would be as slow as one.
    @Test(arguments: [nil, true]) func nobodySharesAConnectionBeforeABodyWasSmall(isKnown: Bool?) throws {
        if let isKnown { pool.experience.protocols.note(small.url.origin, isMultiplexed: isKnown) }
        #expect(!pool.experience.forecast(for: small).prefersSharing)
        #expect(Set(try loops(12, for: small).map { ObjectIdentifier($0) }).count == 3)
        pool.experience.sizes.noteSmall()
        #expect(pool.experience.forecast(for: small).prefersSharing)
        pool.experience.sizes.noteLarge()
        #expect(!pool.experience.forecast(for: small).prefersSharing)
    }

    /// Over HTTP/2, or while it is unknown whether the server speaks it.
    @Test(arguments: [nil, true]) func thoseThatMayShareAConnectionGoToOneLoop(isKnown: Bool?) throws {
        pool.experience.sizes.noteSmall()
        if let isKnown { pool.experience.protocols.note(small.url.origin, isMultiplexed: isKnown) }
        #expect(Set(try loops(60, for: small).map { ObjectIdentifier($0) }).count == 1)
    }

    @Test func overHTTP1TheySpread() throws {
        pool.experience.protocols.note(small.url.origin, isMultiplexed: false)
        #expect(Set(try loops(12, for: small).map { ObjectIdentifier($0) }).count == 3)
    }

    /// The first ones have all connected on one loop. A handshake costs more than a few transfers on a busy loop.
    @Test(arguments: [(8, true), (20, false)])
    func aLoopWithAnIdleConnectionMayBeALittleBusier(count: Int, stays: Bool) throws {
        pool.experience.sizes.noteSmall()
        let first = try loops(count, for: small)[0]
        pool.experience.protocols.note(small.url.origin, isMultiplexed: false)
        first.load.ended(isLarge: false, isComplete: true)
        #expect(try (loops(1, for: small)[0] === first) == stays)
    }

    /// A server may have closed it since there were too many.
    @Test func aLoopWhoseTransferHasFailedHasNoIdleConnection() throws {
        pool.experience.sizes.noteSmall()
        let first = try loops(8, for: small)[0]
        pool.experience.protocols.note(small.url.origin, isMultiplexed: false)
        first.load.ended(isLarge: false, isComplete: false)
        #expect(!first.load.hasFreeConnection)
        #expect(try loops(1, for: small)[0] !== first)
        for _ in 0..<7 { first.load.ended(isLarge: false, isComplete: true) }
        #expect(first.load.hasFreeConnection)
    }

    @Test func whatIsExpectedToBeLargeSpreadsAlsoOverHTTP2() throws {
        pool.experience.protocols.note(small.url.origin, isMultiplexed: true)
        pool.experience.sizes.noteLarge()
        #expect(Set(try loops(4, for: small).map { ObjectIdentifier($0) }).count == 2)
    }
}
