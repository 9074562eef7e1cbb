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

    private func reserve(_ count: Int, for request: TransportRequest) throws -> [(loop: EventLoop, place: LoopPlace)] {
        try (0..<count).map { _ in
            let reserved = pool.loop(for: request, pool.experience.forecast(for: request))
            return try #require(reserved)
        }
    }

    private func loops(_ count: Int, for request: TransportRequest) throws -> [EventLoop] {
        try reserve(count, for: request).map(\.loop)
    }

    private func end(_ reserved: (loop: EventLoop, place: LoopPlace), isComplete: Bool = true) {
        reserved.loop.load.ended(isLarge: false, isComplete: isComplete)
        reserved.place.leave(isComplete: isComplete)
    }

    private func request(to host: String) throws -> TransportRequest {
        try TransportRequest(#require(URL(string: "http://\(host)/file")), isOneOfMany: true)
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
        let first = try reserve(count, for: small)[0]
        pool.experience.protocols.note(small.url.origin, isMultiplexed: false)
        end(first)
        #expect(try (loops(1, for: small)[0] === first.loop) == stays)
    }

    /// An idle connection is good for its own host alone.
    @Test func aLoopWithAnIdleConnectionToTheHostIsBetter() throws {
        pool.experience.sizes.noteLarge()
        let hosts = try (0..<3).map { try request(to: "host\($0)") }
        let running = try reserve(4, for: hosts[0])
        let other = try reserve(1, for: hosts[1])[0]
        end(other)
        let ended = try #require(running.first { $0.loop !== other.loop })
        end(ended)
        // Both loops have two transfers now.
        #expect(try loops(1, for: hosts[2])[0] === ended.loop)
        #expect(try loops(1, for: hosts[0])[0] === ended.loop)
        #expect(try loops(1, for: hosts[1])[0] === other.loop)
    }

    /// A connection that exists is worth a little more work for the loop, also where bodies are large.
    @Test func aLargeTransferTakesAnIdleConnection() throws {
        pool.experience.sizes.noteLarge()
        let large = try reserve(4, for: request(to: "host"))
        #expect(Set(large.map { ObjectIdentifier($0.loop) }).count == 2)
        // The loop of the first one is busier now than the other.
        let same = large.filter { $0.loop === large[0].loop }
        end(large[0])
        _ = try reserve(1, for: request(to: "other"))
        #expect(try loops(1, for: request(to: "host"))[0] === same[0].loop)
    }

    /// A server may have closed it since there were too many.
    @Test func aLoopWhoseTransferHasFailedHasNoIdleConnection() throws {
        pool.experience.sizes.noteSmall()
        let first = try reserve(8, for: small)
        let (loop, place) = first[0]
        pool.experience.protocols.note(small.url.origin, isMultiplexed: false)
        end(first[0], isComplete: false)
        #expect(!place.connections.isOneFree(on: place.loop))
        #expect(try loops(1, for: small)[0] !== loop)
        for one in first.dropFirst() { end(one) }
        #expect(place.connections.isOneFree(on: place.loop))
    }

    @Test func whatIsExpectedToBeLargeSpreadsAlsoOverHTTP2() throws {
        pool.experience.protocols.note(small.url.origin, isMultiplexed: true)
        pool.experience.sizes.noteLarge()
        #expect(Set(try loops(4, for: small).map { ObjectIdentifier($0) }).count == 2)
    }
}
