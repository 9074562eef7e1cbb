import Foundation
import Spate

/// `OneDownload URL RUN [SHA256]`: one download into the current folder, with what the program has no options for.
///
/// Each write but the first is followed by a flush, so that the durable mark moves in the middle of a small file; RUN is
/// sent in a field of that name. Exit: 0 with the file in place, 1 without, 2 for wrong usage.
@main enum OneDownload {
    static func main() async {
        let arguments = CommandLine.arguments.dropFirst()
        guard arguments.count >= 2, let url = arguments.first.flatMap({ URL(string: $0) }) else { exit(2) }
        var configuration = DownloadManager.Configuration()
        configuration.directory = URL(filePath: FileManager.default.currentDirectoryPath, directoryHint: .isDirectory)
        configuration.syncInterval = .zero
        configuration.connectTimeout = .seconds(3_600)
        configuration.stallTimeout = .seconds(3_600)
        configuration.retry = RetryPolicy(
            maxRetriesWithoutProgress: 2,
            firstDelay: .milliseconds(1),
            maximumDelay: .milliseconds(2),
            maximumRetryAfter: .seconds(1)
        )
        var request = DownloadRequest(url)
        request.headers["Run"] = arguments.dropFirst().first
        request.sha256 = arguments.dropFirst(2).first
        do {
            _ = try await DownloadManager(configuration: configuration).download(request).file
        } catch {
            FileHandle.standardError.write(Data("\(error)\n".utf8))
            exit(1)
        }
    }
}
