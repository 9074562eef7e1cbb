import Foundation
import SpateFileSystemCalls
import SpateHTTPTransport
import SpateTestSupport

@testable import Spate

/// A manager that meets no server: what it starts stays without an answer until the test lets it end.
final class SilentManager: Sendable {
    let manager: DownloadManager
    let transport = SilentTransport()
    private let folder: TemporaryFolder
    let callbacks = DispatchQueue(label: "test.callbacks")
    let concurrencyChanges = Recorder<ConcurrencyChange>()

    init(
        maxConcurrentDownloads: Int = 3,
        maxConnectionsPerHost: Int? = nil,
        on platform: Platform = .native
    ) throws {
        folder = try TemporaryFolder()
        var configuration = DownloadManager.Configuration()
        configuration.directory = folder.url
        configuration.maxConcurrentDownloads = maxConcurrentDownloads
        configuration.maxConnectionsPerHost = maxConnectionsPerHost
        configuration.callbackQueue = callbacks
        configuration.concurrencyChanged = concurrencyChanges.append
        manager = DownloadManager(
            configuration: configuration,
            in: Surroundings(transport: transport, platform: platform)
        )
    }

    deinit {
        manager.cancelAll()
        transport.letGo()
    }

    func url(_ name: String, host: String = "host.test") -> URL {
        URL(string: "http://\(host)/\(name)") ?? URL(fileURLWithPath: "/\(name)")
    }

    /// A download that was paused before it could run.
    func pausedDownload(_ name: String) -> Download {
        manager.feed.queue.isSuspended = true
        defer { manager.feed.queue.isSuspended = false }
        let download = manager.download(url(name))
        download.pause()
        return download
    }

    /// Returns when all closures that were due have been called.
    func callbacksAreDone() async {
        // An observer makes one call, and then queues the next.
        for _ in 0..<10 {
            await withCheckedContinuation { continuation in callbacks.async { continuation.resume() } }
        }
    }
}

extension DownloadManager {
    /// A manager that meets no server, and that nobody holds but the caller.
    static func silent(
        in folder: TemporaryFolder,
        over transport: SilentTransport = SilentTransport()
    ) -> DownloadManager {
        let configuration = Configuration(directory: folder.url)
        return DownloadManager(configuration: configuration, in: Surroundings(transport: transport))
    }
}

/// A transport whose transfers never bring anything. A cancelled one takes its time to end: until `letGo`.
final class SilentTransport: Transport {
    /// The transfers started so far.
    let started = Watched(0)
    /// Their requests.
    let requests = Recorder<TransportRequest>()
    private let inside = Watched(Inside())

    private struct Inside {
        var isLettingGo = false
        var held: [@Sendable () -> Void] = []
    }

    func start(_ request: TransportRequest, sink: any TransportSink) -> any Transfer {
        requests.append(request)
        started.update { $0 += 1 }
        return SilentTransfer(sink: sink, transport: self)
    }

    /// Ends all cancelled transfers, and ends later ones as soon as they are cancelled.
    func letGo() {
        let held = inside.update { inside in
            inside.isLettingGo = true
            defer { inside.held = [] }
            return inside.held
        }
        for end in held { end() }
    }

    fileprivate func end(_ sink: any TransportSink) {
        let end: @Sendable () -> Void = { DispatchQueue.global().async { sink.end(.cancelled) } }
        let isFree = inside.update { inside in
            if !inside.isLettingGo { inside.held.append(end) }
            return inside.isLettingGo
        }
        if isFree { end() }
    }
}

private final class SilentTransfer: Transfer {
    private let sink: Watched<(any TransportSink)?>
    private let transport: SilentTransport

    init(sink: any TransportSink, transport: SilentTransport) {
        self.sink = Watched(sink)
        self.transport = transport
    }

    func cancel() {
        guard let sink = sink.update({ $0.take() }) else { return }
        transport.end(sink)
    }
}
