package import Foundation
package import Spate
import SpateHTTPTransport

/// A manager with a folder of its own, which is removed with it, and limits that suit tests.
package final class TestManager: Sendable {
    package let folder: TemporaryFolder
    package let manager: DownloadManager

    /// - Parameter sharesTransport: whether it has the process's transport, whose loops other tests keep busy, too.
    package init(
        folder: TemporaryFolder? = nil,
        sharesTransport: Bool = true,
        _ change: (inout DownloadManager.Configuration) -> Void = { _ in }
    ) throws {
        Turns.expect(for: "downloads")
        let folder = try folder ?? TemporaryFolder()
        var configuration = DownloadManager.Configuration()
        configuration.directory = folder.url
        configuration.retry = RetryPolicy(
            maxRetriesWithoutProgress: 3,
            firstDelay: .milliseconds(5),
            maximumDelay: .milliseconds(20),
            maximumRetryAfter: .seconds(2)
        )
        // Beyond any deadline of a test: only a test that is about timeouts sees one.
        configuration.connectTimeout = Duration.hang * 2
        configuration.stallTimeout = Duration.hang * 2
        change(&configuration)
        self.folder = folder
        self.manager =
            sharesTransport
            ? DownloadManager(configuration: configuration)
            : DownloadManager(configuration: configuration, in: Surroundings(transport: CurlTransport()))
    }

    deinit {
        manager.cancelAll()
    }

    package func bytes(_ name: String) throws -> [UInt8] {
        [UInt8](try Data(contentsOf: folder.url(name)))
    }

    /// Writes bytes into a file in the folder, at its end unless a place is given.
    package func write(_ bytes: some Sequence<UInt8>, to name: String, at offset: Int? = nil) throws {
        let file = try FileHandle(forWritingTo: folder.url(name))
        defer { try? file.close() }
        if let offset { try file.seek(toOffset: UInt64(offset)) } else { try file.seekToEnd() }
        try file.write(contentsOf: Data(bytes))
    }

    /// Returns when no partial file is open.
    package func filesAreClosed() async throws {
        try await eventually("the partial files are closed") {
            try manager.storedDownloads().allSatisfy { !$0.isInUse }
        }
    }

    /// All names in the folder.
    package var names: [String] {
        ((try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []).sorted()
    }
}

extension Download {
    /// How the download ends: the file, or the error.
    package func ended() async throws -> Result<URL, DownloadError> {
        try await withDeadline {
            do {
                return .success(try await self.file)
            } catch let error as DownloadError {
                return .failure(error)
            }
        }
    }
}

extension Result {
    package var error: Failure? {
        if case .failure(let error) = self { error } else { nil }
    }
}
