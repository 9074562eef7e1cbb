import Foundation
import HTTPResumption
import Locking

/// libcurl on a few event loops, each a thread of its own.
///
/// One loop can use one core and no more, for the kernel copies each byte within its calls; so there are as many as
/// processors, up to four. They start when the first transfer needs them and live as long as the transport.
package final class CurlTransport: Transport {
    /// The one that every manager uses, so that all downloads of a process share connections.
    package static let shared = CurlTransport()

    private let loops: Locked<LoopChoice>

    package init(loopCount: Int = min(4, max(1, ProcessInfo.processInfo.activeProcessorCount))) {
        precondition(loopCount > 0, "A transport needs at least one loop")
        CurlLibrary.load()
        loops = Locked(LoopChoice(count: loopCount))
    }

    deinit {
        loops.withLock { $0.stopAll() }
    }

    @discardableResult
    package func start(_ request: TransportRequest, sink: any TransportSink) -> any Transfer {
        let loop = loops.withLock { $0.loop(for: request.url) }
        return loop.start(request, sink: sink)
    }
}
