import Foundation
import Spate

// snippet: Examples/Quickstart/main.swift

private func oneFile(_ url: URL) async throws {
    // snippet
    let manager = DownloadManager.shared
    let file = try await manager.file(for: url)
    print("It is at \(file.path)")
    // end
}

private func closures(_ url: URL, _ manager: DownloadManager) {
    // snippet
    manager.download(url) { result in
        switch result {
        case .success(let file): print("It is at \(file.path)")
        case .failure(let error): print(error.message)
        }
    }
    // end
}

private func request(_ url: URL, token: String, digest: String, _ manager: DownloadManager) async throws {
    // snippet
    var request = DownloadRequest(url)
    request.fileName = "archive.zip"
    request.headers = ["Authorization": "Bearer \(token)"]
    request.sha256 = digest
    request.maximumBytes = 2_000_000_000
    let file = try await manager.file(for: request)
    // end
    print(file)
}

private func watching(_ url: URL, _ manager: DownloadManager) async {
    // snippet
    let download = manager.download(url)
    for await event in download.events {
        switch event {
        case .state(let state): print(state)
        case .progress(let progress): print(progress)  // "12.3 MB of 40 MB, 3.2 MB/s, 9 s left"
        }
    }
    // end
}

private func waiting(_ urls: [URL], _ manager: DownloadManager) async {
    // snippet
    manager.download(urls)
    await manager.waitUntilIdle()
    print(manager.progress)  // "10 of 10 files, 40 MB"
    // end
}

private func steering(_ url: URL, _ manager: DownloadManager) throws {
    // snippet
    manager.pause(url)  // frees its slot, keeps the partial file
    manager.resume(url)  // requests the rest
    manager.cancel(url)  // ends it, keeps the partial file
    try manager.delete(url)  // ends it, deletes the partial and the finished file
    manager.maxConcurrentDownloads = 5  // takes effect at once
    // end
}

private func tenants(_ folder: URL, _ tenant: String, _ token: String) {
    // snippet
    let configuration = DownloadManager.Configuration(
        directory: folder.appending(path: tenant),
        headers: ["Authorization": "Bearer \(token)"]
    )
    let manager = DownloadManager(configuration: configuration)
    // end
    _ = manager
}

private func restart(_ manager: DownloadManager) async throws {
    // snippet
    for download in manager.restore() {
        print("\(download.url) resumes")
    }
    for stored in try manager.storedDownloads() where stored.isFinished {
        print("\(stored.url) is complete: \(stored.file.path)")
    }
    // end
}

private func configuration(_ folder: URL) {
    // snippet
    var configuration = DownloadManager.Configuration(
        directory: folder,
        maxConcurrentDownloads: 8,
        retry: RetryPolicy(maxRetriesWithoutProgress: 10, maximumDelay: .seconds(30))
    )
    configuration.keepsServerTime = true
    let manager = DownloadManager(configuration: configuration)
    // end
    withExtendedLifetime(manager) {}
}

private func failures(_ url: URL, _ manager: DownloadManager) async throws {
    // snippet
    do {
        print(try await manager.file(for: url))
    } catch let error as DownloadError where error.statusCode == 404 {
        print("There is no such file.")
    } catch let error as DownloadError where error.code == .diskFull {
        print(error.message)  // what happened, and what to do
    }
    // end
}
