import Foundation
import Spate

private struct NotAPicture: Error {}
private struct NotAllowed: Error {}

private func fetchPicture(_ folder: URL, _ address: URL) async throws {
    // snippet
    var configuration = DownloadManager.Configuration(directory: folder)
    // Neither this machine nor its network, whatever leads there.
    configuration.addresses = .publicOnly
    configuration.redirects = .follow(atMost: 5)
    configuration.usesServerMirrors = false
    configuration.maxConnectionsPerHost = 2
    configuration.minimumSpeed = MinimumSpeed(bytesPerSecond: 5_000, over: .seconds(60))
    configuration.accept = { _, response in
        guard response["Content-Type"]?.hasPrefix("image/") ?? false else { throw NotAPicture() }
    }
    let manager = DownloadManager(configuration: configuration)

    func picture(at url: URL) async throws -> URL {
        var request = DownloadRequest(url)
        request.maximumBytes = 20_000_000
        request.timeLimit = .seconds(120)
        do {
            return try await manager.file(for: request)
        } catch let error as DownloadError where error.code == .addressNotAllowed {
            throw NotAllowed()
        }
    }
    // end
    _ = try await picture(at: address)
}
