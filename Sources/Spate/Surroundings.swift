package import SpateFileSystemCalls
import SpateHTTPSyntax
package import SpateHTTPTransport
import SpateLocking
import SpateTiming

/// The network, disk and time of managers, and their shared knowledge of hosts: one for all managers of a process, and
/// one for each process of a simulated world.
package final class Surroundings: Sendable {
    let transport: any Transport
    let platform: Platform
    let digests: DigestLibrary
    let lessons = Locked(HostLessons(), .lessons)
    let addresses: KnownAddresses
    private let feeds = Locked<[WeakFeed]>([])

    package init(
        transport: any Transport,
        platform: Platform = .native,
        digests: DigestLibrary = .libcrypto
    ) {
        (self.transport, self.platform, self.digests) = (transport, platform, digests)
        addresses = KnownAddresses(transport, platform.runtime)
    }

    var runtime: Runtime { platform.runtime }

    func add(_ feed: OperationFeed) {
        feeds.withLock { feeds in
            feeds.removeAll { $0.feed == nil }
            feeds.append(WeakFeed(feed: feed))
        }
    }

    /// How many connections other managers have to a host.
    func connectionCount(_ host: HTTPOrigin, besides feed: OperationFeed) -> Int {
        let others = feeds.withLock { $0.compactMap(\.feed) }.filter { $0 !== feed }
        return others.reduce(0) { $0 + $1.connectionCount(host) }
    }

    static let ofThisProcess = Surroundings(transport: CurlTransport.shared)
}

/// Knowledge of hosts must not keep an unused manager alive.
private struct WeakFeed {
    weak var feed: OperationFeed?
}
