import CSpateCurl
import Dispatch
package import SpateHTTPSyntax
import SpateLocking

/// libcurl on a few event loops: one on a queue that others may use, the others each on a thread of its own.
///
/// One loop uses at most one core, because the kernel copies each byte within the loop's calls. More loops than cores
/// are useful, too: of three transfers on two loops, two share a loop and take twice as long as the third, while the
/// kernel schedules three threads evenly. A thread starts with its first transfer and lives as long as the transport.
package final class CurlTransport: Transport {
    /// Every manager uses this one, so that all downloads of the process share connections.
    package static let shared = CurlTransport()

    /// Initialises libcurl once per process.
    private static let isLibraryLoaded: Bool = {
        defer { ExitGate.install() }
        return spate_curl_global_init() == CInt(SPATE_CURLE_OK)
    }()

    /// The names and versions of libcurl and the TLS library that it uses.
    package static var libraries: [String] {
        // Such as "libcurl/7.88.1 OpenSSL/3.0.17 zlib/1.2.13 …": these two come first.
        String(cString: spate_curl_version()).split(separator: " ").prefix(2).map {
            String($0.replacing("/", with: " "))
        }
    }

    private let loops: Locked<LoopPool>
    private let experience: Experience
    package let loop: EventLoop?

    package init(loopCount: Int = 5) {
        precondition(Self.isLibraryLoaded, "libcurl could not be initialised")
        let pool = LoopPool(count: loopCount)
        loop = pool.shared
        experience = pool.experience
        loops = Locked(pool)
    }

    deinit {
        loops.withLock { $0.stopAll() }
    }

    @discardableResult
    package func start(_ request: TransportRequest, sink: any TransportSink) -> any Transfer {
        if let proxy = request.refusedProxy {
            var error = TransportError(.addressNotAllowed, detail: "", proxy: proxy.name)
            error.hasGivenProxy = proxy.isGiven
            return RefusedTransfer(sink, error)
        }
        let forecast = experience.forecast(for: request)
        guard let (loop, place) = loops.withLock({ $0.loop(for: request, forecast) }) else {
            let detail = "the process has no descriptors or threads left"
            return RefusedTransfer(sink, TransportError(.other(Int(CInt(SPATE_CURLE_OUT_OF_MEMORY))), detail: detail))
        }
        return loop.start(request, forecast, at: place, sink: sink)
    }

    package func lookUp(_ url: HTTPURL, _ completion: @escaping @Sendable (LookupAnswer) -> Void) {
        guard AddressLookup.isUseful(for: url) else { return completion(.unknown) }
        AddressLookup.begin(url.host, completion)
    }

    package func usesProxy(for url: HTTPURL, _ choice: TransportProxy) -> Bool {
        UsedProxy(for: url, choice) != nil
    }
}

/// A transfer that has failed before it came to a loop.
private struct RefusedTransfer: Transfer {
    init(_ sink: any TransportSink, _ error: TransportError) {
        // Not within the call that starts the transfer.
        DispatchQueue(label: "spate.refusal").async { sink.end(.failed(error)) }
    }

    func cancel() {}
}
