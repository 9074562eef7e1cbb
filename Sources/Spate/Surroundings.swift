package import HTTPTransport
import Locking
package import PartialFiles
import Timing

/// The network, the disk and the time in which managers work, and what they know of hosts together: the same for all
/// managers of a process, and another for each process of a simulated world.
package final class Surroundings: Sendable {
    let transport: any Transport
    let platform: Platform
    /// Connections are counted over all managers.
    let hosts = Locked(HostTable())

    package init(transport: any Transport, platform: Platform = .native) {
        (self.transport, self.platform) = (transport, platform)
    }

    var runtime: Runtime { platform.runtime }

    static let ofThisProcess = Surroundings(transport: CurlTransport.shared)
}
