import Dispatch
import Foundation
import Spate

extension Arguments {
    /// The folder where files go, as an absolute URL.
    var folder: URL {
        URL(fileURLWithPath: directory ?? ".", isDirectory: true).absoluteURL
    }

    /// The file of certificates, as an absolute URL.
    var authoritiesFile: URL? {
        authorities.map { URL(fileURLWithPath: $0, isDirectory: false).absoluteURL }
    }

    /// The library, set up to work as was asked for.
    ///
    /// - Parameter queue: where its closures run.
    func manager(callbacksOn queue: DispatchQueue? = nil) -> DownloadManager {
        var configuration = DownloadManager.Configuration()
        configuration.directory = folder
        configuration.maxConcurrentDownloads = jobs
        configuration.retry.maxRetriesWithoutProgress = retries
        configuration.stallTimeout = .seconds(timeout)
        configuration.connectTimeout = min(configuration.connectTimeout, .seconds(timeout))
        configuration.headers = Dictionary(headers.map { ($0.name, $0.value) }) { _, last in last }
        configuration.certificateAuthorities = authoritiesFile
        if let queue { configuration.callbackQueue = queue }
        return DownloadManager(configuration: configuration)
    }

    /// What the library is asked for.
    func request(for order: DownloadOrder) -> DownloadRequest {
        var request = DownloadRequest(order.address.url)
        request.fileName = order.fileName
        request.maximumBytes = maximumSize
        request.replacesExistingFile = overwrites
        return request
    }
}
