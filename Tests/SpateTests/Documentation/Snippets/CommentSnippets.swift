import Dispatch
import Foundation
import Spate

// The code in the comments of Sources/Spate.

private func coding(_ request: DownloadRequest) throws {
    // snippet
    let data = try JSONEncoder().encode(request)
    let other = try JSONDecoder().decode(DownloadRequest.self, from: Data(#"{"url": "https://host/file"}"#.utf8))
    // end
    print(data, other)
}

@MainActor private final class Row {
    func check() {}
}

@MainActor private var rows: [URL: Row] = [:]

@MainActor private func delegate(_ manager: DownloadManager, _ screen: any DownloadManagerDelegate) {
    // snippet
    @MainActor final class DownloadScreen: DownloadManagerDelegate {
        // The manager's callbackQueue is .main.
        nonisolated func download(_ download: Download, didFinishAt file: URL) {
            MainActor.assumeIsolated { rows[download.url]?.check() }
        }
    }

    manager.delegate = screen
    // end
}

private func restore(_ manager: DownloadManager, _ token: String) {
    // snippet
    manager.restore { $0.headers["Authorization"] = "Bearer \(token)" }
    // end
}

private func show(_ certificate: URL, _ key: URL, to server: URL) -> DownloadRequest {
    var request = DownloadRequest(server)
    // snippet
    request.clientCertificate = ClientCertificate(file: certificate, key: key)
    // end
    return request
}

private func addresses() -> DownloadManager {
    var configuration = DownloadManager.Configuration()
    // snippet
    configuration.addresses = .publicOnly
    // end
    return DownloadManager(configuration: configuration)
}

private func proxy() throws -> DownloadManager {
    var configuration = DownloadManager.Configuration()
    // snippet
    configuration.proxy = try DownloadProxy("socks5h://127.0.0.1:9050")
    // end
    return DownloadManager(configuration: configuration)
}

private func verify(_ manager: DownloadManager) async {
    // snippet
    for await (file, result) in manager.verify() where result.isBad {
        print("\(file.path): \(result.state)")
    }
    // end
}

private func ask(_ token: String) {
    var options = VerificationOptions()
    // snippet
    options.onlineRequest = { url in DownloadRequest(url, headers: ["Authorization": token]) }
    // end
    print(options)
}

private func metalink(_ document: URL, _ manager: DownloadManager) throws {
    // snippet
    let metalink = try Metalink(Data(contentsOf: document))
    manager.download(metalink.files.compactMap { manager.request(for: $0) })
    // end
}

private func repair(_ document: URL, _ manager: DownloadManager) throws {
    // snippet
    let file = try Metalink(Data(contentsOf: document)).files[0]
    if let request = manager.request(for: file) { manager.repair(request) }
    // end
}

private func format() {
    // snippet
    _ = DownloadFormat.size(12_300_000)  // "12.3 MB"
    _ = DownloadFormat.speed(3_200_000)  // "3.2 MB/s"
    _ = DownloadFormat.time(.seconds(200))  // "3 min 20 s"
    // end
}

private func creating(_ url: URL, _ folder: URL) {
    // snippet
    let manager = DownloadManager(directory: folder)
    // end
    withExtendedLifetime(manager) {
        // snippet
        let manager = DownloadManager(directory: folder, maxConcurrentDownloads: 8)
        // end
        _ = manager
    }
    // snippet
    let configuration = DownloadManager.Configuration(directory: folder, maxConcurrentDownloads: 8)
    // end
    _ = configuration
    // snippet
    let request = DownloadRequest(url, fileName: "list.csv", headers: ["Accept": "text/csv"])
    // end
    manager.download(request)
}

private func fetchEvents(_ url: URL, queue: OperationQueue) async {
    // snippet
    let fetch = FetchOperation(url)
    let events = fetch.events
    queue.addOperation(fetch)
    for await event in events { print(event) }
    // end
}

private func progress(_ manager: DownloadManager) {
    // snippet
    print(manager.progress)  // 3 of 10 files, 12.3 MB of 40 MB, 3.2 MB/s, 9 s left
    // end
}

private func events(_ manager: DownloadManager) async {
    // snippet
    for await (download, event) in manager.events {
        switch event {
        case .state(let state): print(download.url, state)
        case .progress(let progress): print(download.url, progress)
        }
    }
    // end
}

private func ends(_ manager: DownloadManager) async {
    // snippet
    for await ended in manager.ends {
        for download in ended { print(download.url, download.state) }
    }
    // end
}

private func retries(_ manager: DownloadManager) async {
    // snippet
    for await (download, date, error) in manager.retries {
        print("\(download.url): \(error.message); again at \(date)")
    }
    // end
}

private func nextTry(_ download: Download) {
    // snippet
    if case .waiting(.retry(let date, let error)) = download.state, let next = error.nextTry {
        print("\(next) at \(date): \(error.message)")  // try 2 of 6 at …
    }
    // end
}

private func operations(_ url: URL, queue: OperationQueue, unpackArchive: @escaping @Sendable (URL?) -> Void) {
    // snippet
    let fetch = FetchOperation(url)
    let unpack = BlockOperation { unpackArchive(fetch.file) }
    fetch.addDependent(unpack)
    queue.addOperation(fetch)
    queue.addOperation(unpack)
    // end
}

private func progress(_ urls: [URL], manager: DownloadManager) {
    // snippet
    let whole = Progress(totalUnitCount: Int64(urls.count))
    for download in manager.download(urls) {
        whole.addChild(download.makeProgress(on: .main), withPendingUnitCount: 1)
    }
    // end
}

private func progressOfAll(_ urls: [URL], manager: DownloadManager) -> Progress {
    // snippet
    manager.download(urls)
    let progress = manager.makeProgress(on: .main)
    // end
    return progress
}

private func files(_ urls: [URL], manager: DownloadManager) async throws {
    // snippet
    for try await (url, file) in manager.files(of: urls) {
        print("\(url) is at \(file.path)")
    }
    // end
}

private func links(_ links: AsyncStream<URL>, manager: DownloadManager, unpack: (URL) async throws -> Void) async throws
{
    // snippet
    for try await (_, file) in manager.files(of: links) {
        try await unpack(file)
    }
    // end
}

private func results(_ urls: [URL], manager: DownloadManager) async {
    // snippet
    for await (url, result) in manager.results(of: urls) {
        switch result {
        case .success(let file): print("\(url) is at \(file.path)")
        case .failure(let error): print("\(url): \(error.message)")
        }
    }
    // end
}

private func part(of urls: [URL], _ shard: DownloadShard) {
    // snippet
    let mine = urls.filter { shard.contains($0) }
    // end
    print(mine)
}

private func oneFile(_ url: URL, _ manager: DownloadManager) async throws -> URL {
    // snippet
    let file = try await manager.file(for: url)
    // end
    return file
}

private struct NotAnArchive: Error {}

private func accepting(_ configuration: inout DownloadManager.Configuration) {
    // snippet
    configuration.accept = { request, response in
        guard response["Content-Type"] == "application/zip" else { throw NotAnArchive() }
    }
    // end
}

private func demanding(_ configuration: inout DownloadManager.Configuration) {
    // snippet
    configuration.minimumSpeed = MinimumSpeed(bytesPerSecond: 10_000, over: .seconds(30))
    // end
}
