import SpateHTTPSyntax
import SpateLocking

/// Whether servers speak HTTP/2, learned from their responses.
///
/// Over HTTP/2, transfers on one loop share a connection. Only https is negotiated, so only its origins are noted.
final class KnownProtocols: Sendable {
    private let multiplexing: Locked<[HTTPOrigin: Bool]> = Locked([:])
    /// Beyond this many origins, all are forgotten. Each then costs a few more connections.
    private static let limit = 4096

    /// A response arrived over a new connection.
    func note(_ origin: HTTPOrigin, isMultiplexed: Bool) {
        multiplexing.withLock { known in
            guard known[origin] != isMultiplexed else { return }
            if known.count >= Self.limit { known.removeAll() }
            known[origin.alone] = isMultiplexed
        }
    }

    /// Whether a small transfer should rather wait for a connection of another transfer than open one.
    ///
    /// While nothing is known of the server, only one of many requests waits. It costs a handshake, and saves one for
    /// each of them.
    func prefersSharing(_ request: TransportRequest) -> Bool {
        guard request.mayShareConnection else { return false }
        return multiplexing.withLock { $0[request.url.origin] } ?? request.isOneOfMany
    }
}
