import Dispatch
import Foundation
import Spate

extension Arguments {
    /// The download folder, as an absolute URL.
    var folder: URL {
        URL(fileURLWithPath: directory ?? ".", isDirectory: true).absoluteURL
    }

    /// The certificate to show to the servers of the given URLs.
    var clientCertificate: ClientCertificate? {
        certificate.map { ClientCertificate(file: Self.file($0), key: certificateKey.map(Self.file)) }
    }

    private static func file(_ path: String) -> URL { URL(fileURLWithPath: path, isDirectory: false).absoluteURL }

    /// A manager with these settings.
    ///
    /// - Parameters:
    ///   - otherFolder: a folder instead of the command line's.
    ///   - cookies: the cookies to send.
    ///   - queue: the queue for callbacks.
    ///   - keepsQueue: whether `spate resume` can continue unfinished downloads.
    ///   - noteConcurrency: called when another number of downloads may run at once.
    ///   - prepare: what `--refresh-command` does for each attempt.
    func manager(
        in otherFolder: URL? = nil,
        cookies: [DownloadCookie] = [],
        callbacksOn queue: DispatchQueue? = nil,
        keepsQueue: Bool = false,
        noting noteConcurrency: (@Sendable (ConcurrencyChange) -> Void)? = nil,
        preparing prepare: (@Sendable (DownloadRequest, DownloadAttempt) async throws -> DownloadRequest)? = nil
    ) -> DownloadManager {
        var configuration = DownloadManager.Configuration()
        configuration.directory = otherFolder ?? folder
        configuration.concurrency = jobs
        configuration.concurrencyChanged = noteConcurrency
        configuration.connectionsPerDownload = connections
        configuration.maxConnectionsPerHost = maximumPerHost
        configuration.maxBytesPerSecond = rateLimit
        if let retries {
            // Whoever asks for so many gets them for a name that does not exist as well: the line may be bad.
            configuration.retry.maxRetriesWithoutProgress = retries
            configuration.retry.maxRetriesOfUnknownName = retries
        }
        configuration.stallTimeout = .seconds(timeout)
        if minimumSpeed != nil || minimumSpeedTime != nil {
            // As with curl, each of the two options is enough.
            let speed = MinimumSpeed(bytesPerSecond: minimumSpeed ?? 1, over: .seconds(minimumSpeedTime ?? 30))
            configuration.minimumSpeed = speed
        }
        configuration.connectTimeout = min(configuration.connectTimeout, .seconds(timeout))
        configuration.headers = Dictionary(headers.map { ($0.name, $0.value) }) { _, last in last }
        configuration.cookies = cookies
        configuration.keepsServerTime = keepsServerTime
        configuration.certificateAuthorities = authorities.map(Self.file)
        configuration.proxy = proxy
        if let maximumRedirects { configuration.redirects = .follow(atMost: maximumRedirects) }
        if isPublicOnly { configuration.addresses = .publicOnly }
        configuration.usesServerMirrors = !ignoresServerMirrors
        configuration.keepsQueue = keepsQueue
        configuration.prepare = prepare
        if let queue { configuration.callbackQueue = queue }
        return DownloadManager(configuration: configuration)
    }

    /// Completes a stored request: the command line overrides it, and secrets are never stored.
    func complete(_ request: inout DownloadRequest, _ files: OptionFiles) {
        let own = RequestTemplate(self, files).request(for: DownloadItem(stored: request))
        (request.url, request.headers, request.checksum) = (own.url, own.headers, own.checksum)
        (request.clientCertificate, request.mirrors) = (own.clientCertificate, own.mirrors)
        if let maximumSize { request.maximumBytes = maximumSize }
        if let timeLimit { request.timeLimit = .seconds(timeLimit) }
        if usesServerMetalink { request.usesServerMetalink = true }
        if overwrites { request.replacesExistingFile = true }
    }
}
