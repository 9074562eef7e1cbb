import Dispatch
import Foundation
import SpateHTTPSyntax
import SpateHTTPTransport
import SpateLocking
import SpateTestSupport

@testable import Spate

/// A name with several loopback addresses at one port, and a manager that knows it.
final class AddressedHost: Sendable {
    let folder: TemporaryFolder
    let manager: DownloadManager
    let transport: NamedTransport
    let url: URL

    /// - Parameters:
    ///   - server: the server at 127.0.0.1, the address that libcurl chooses.
    ///   - count: how many addresses the name has: 127.0.0.1 and the next ones.
    init(
        _ port: UInt16,
        addresses count: Int,
        scheme: String = "http",
        name: String = "cdn.test",
        unfound: [String: LookupAnswer] = [:],
        _ change: (inout DownloadManager.Configuration) -> Void = { _ in }
    ) throws {
        folder = try TemporaryFolder()
        var configuration = DownloadManager.Configuration(directory: folder.url)
        configuration.connectionsPerDownload = .exactly(1)
        configuration.retry = .never
        configuration.connectTimeout = Duration.hang * 2
        configuration.stallTimeout = Duration.hang * 2
        change(&configuration)
        transport = NamedTransport(name, addresses: (1...count).map { "127.0.0.\($0)" }, unfound: unfound)
        manager = DownloadManager(configuration: configuration, in: Surroundings(transport: transport))
        guard let url = URL(string: "\(scheme)://\(name):\(port)/file") else { preconditionFailure("not a URL") }
        self.url = url
    }

    deinit {
        manager.cancelAll()
    }
}

/// libcurl with a name of our own.
final class NamedTransport: Transport {
    private let curl = CurlTransport(loopCount: 3)
    private let name: String
    private let addresses: [String]
    /// How many lookups there were. Each one is answered while the gate is open.
    let lookups = Watched(0)
    private let held = Locked<[@Sendable () -> Void]?>(nil)
    private let onHeld = Locked<@Sendable () -> Void>({})
    /// Names that are not found, and what a lookup of each answers.
    private let unfound: [String: LookupAnswer]
    /// The hosts of all requests.
    let hosts = Watched<[String]>([])

    init(_ name: String, addresses: [String], unfound: [String: LookupAnswer] = [:]) {
        (self.name, self.addresses, self.unfound) = (name, addresses, unfound)
    }

    func start(_ request: TransportRequest, sink: any TransportSink) -> any Transfer {
        let host = request.url.host
        hosts.update { $0.append(host) }
        if unfound[host] != nil { return UnfoundTransfer(sink) }
        return curl.start(host == name ? request.knowing(addresses) : request, sink: sink)
    }

    func lookUp(_ url: HTTPURL, _ completion: @escaping @Sendable (LookupAnswer) -> Void) {
        let found = url.host == name ? .addresses(addresses) : unfound[url.host] ?? .unknown
        let isHeld = held.withLock { held in
            held?.append { completion(found) }
            return held != nil
        }
        lookups.update { $0 += 1 }
        if isHeld { onHeld.withLock { $0 }() } else { completion(found) }
    }

    func usesProxy(for url: HTTPURL, _ choice: TransportProxy) -> Bool { curl.usesProxy(for: url, choice) }

    /// Answers no lookup.
    ///
    /// - Parameter action: called as soon as one has begun, however long the test is held up.
    func holdLookups(_ action: @escaping @Sendable () -> Void = {}) {
        onHeld.withLock { $0 = action }
        held.withLock { $0 = [] }
    }
}

/// A transfer from a host that is not found.
private struct UnfoundTransfer: Transfer {
    init(_ sink: any TransportSink) {
        DispatchQueue(label: "unfound").async {
            sink.end(.failed(TransportError(.hostNotFound, detail: "Could not resolve host")))
        }
    }

    func cancel() {}
}

/// A server's speed: quick until it has sent this many bytes, over all its connections, then a crawl.
final class Collapse: Sendable {
    private let quick: Int
    private static let crawl = 30_000
    private let left: Locked<Int>

    /// - Parameter count: `nil` for never.
    init(after count: Int?, quick: Int = 8_000_000) {
        self.quick = quick
        left = Locked(count ?? .max)
    }

    /// The reply in pieces of 3,000 bytes.
    func pacing(_ reply: Reply, for request: ReceivedRequest) -> Reply {
        let isFirst = Locked(true)
        let rates = ConnectionRates { [self] _ in
            // The first call chooses the size of the pieces.
            if isFirst.withLock({ isFirst in
                defer { isFirst = false }; return isFirst
            }) {
                return 300_000
            }
            return left.withLock { left in
                left -= 3_000
                return left > 0 ? quick : Self.crawl
            }
        }
        return reply.paced(by: rates, for: request)
    }

    func end() { left.withLock { $0 = .max } }
}

extension TransportRequest {
    /// The same with these addresses of the host.
    fileprivate func knowing(_ addresses: [String]) -> TransportRequest {
        TransportRequest(
            url: url,
            credentials: credentials,
            fields: fields,
            rangeStart: rangeStart,
            rangeEnd: rangeEnd,
            hasOwnConnection: hasOwnConnection,
            isOneOfMany: isOneOfMany,
            rate: rate,
            address: address,
            knownAddresses: addresses,
            settings: settings
        )
    }
}
