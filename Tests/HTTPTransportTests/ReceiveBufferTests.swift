import SpateHTTPSyntax
import Testing

@testable import SpateHTTPTransport

/// How much is read from a socket at once.
@Suite struct ReceiveBufferTests {
    private let experience = Experience()

    private func buffer(
        hasOwnConnection: Bool = false,
        isOneOfMany: Bool = false,
        rate: RateShare? = nil
    ) throws -> ReceiveBuffer {
        let request = TransportRequest(
            url: try HTTPURL("http://example.com/file"),
            hasOwnConnection: hasOwnConnection,
            isOneOfMany: isOneOfMany,
            rate: rate
        )
        return ReceiveBuffer(for: request, experience.forecast(for: request))
    }

    /// Their bodies may be large, however many wait.
    @Test(arguments: [false, true]) func theFirstTransfersHaveALargeBuffer(isOneOfMany: Bool) throws {
        #expect(try buffer(isOneOfMany: isOneOfMany) == .large)
    }

    @Test func itIsSmallAfterSmallBodies() throws {
        experience.sizes.noteSmall()
        #expect(try buffer() == .small)
        experience.sizes.noteLarge()
        #expect(try buffer(isOneOfMany: true) == .large)
    }

    @Test func aPartOfALargeFileHasALargeBuffer() throws {
        experience.sizes.noteSmall()
        #expect(try buffer(hasOwnConnection: true) == .large)
    }

    @Test(arguments: [false, true]) func littleWaitsInMemoryForARate(isSmall: Bool) throws {
        if isSmall { experience.sizes.noteSmall() }
        #expect(try buffer(rate: RateShare(of: RateLimit(1_000))) == .limited)
    }
}
