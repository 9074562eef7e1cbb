import HTTPResumption
import Locking

/// libcurl on a few event loops, each a thread of its own.
///
/// One loop can use one core and no more, for the kernel copies each byte within its calls. More loops than processors
/// are of use, too: of three transfers on two loops, two share one and take twice as long as the third, where the kernel
/// shares out three threads evenly. A loop starts when a transfer needs it and lives as long as the transport.
package final class CurlTransport: Transport {
    /// The one that every manager uses, so that all downloads of a process share connections.
    package static let shared = CurlTransport()

    private let loops: Locked<LoopChoice>

    package init(loopCount: Int = 4) {
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
