import Foundation
import Spate

/// What the child of a queue's run does: enqueues, cancels, and says what that cost.
enum QueueMeasurement {
    static func run(count: Int, port: UInt16, isKept: Bool) throws -> QueueCost {
        let folder = try TemporaryFolder(in: "/dev/shm")
        var configuration = DownloadManager.Configuration()
        configuration.directory = folder.url("")
        configuration.keepsQueue = isKept
        // What the first download of a process costs, such as the library's threads, is not the queue's.
        let other = DownloadManager(configuration: configuration)
        other.download(urls(3, port: port, name: "first"))
        other.cancelAll()

        let manager = DownloadManager(configuration: configuration)
        let urls = urls(count, port: port, name: "file")
        let clock = ContinuousClock()
        let before = try residentBytes()
        var downloads: [Download] = []
        let enqueueing = clock.measure { downloads = manager.download(urls) }
        let after = try residentBytes()
        let cancelling = clock.measure { manager.cancelAll() }
        let left = downloads.count { if case .cancelled = $0.state { false } else { true } }
        guard downloads.count == count, left == 0 else { throw WorkFailure("\(left) of them were not cancelled") }
        return QueueCost(
            count: count,
            enqueueSeconds: enqueueing / .seconds(1),
            bytesEach: Double(after - before) / Double(count),
            cancelSeconds: cancelling / .seconds(1)
        )
    }

    private static func urls(_ count: Int, port: UInt16, name: String) -> [URL] {
        (0..<count).compactMap { URL(string: "http://127.0.0.1:\(port)/files/\(name)-\($0).bin") }
    }

    /// Added up from the pages: what is in `/proc/self/status` may be some hundred KiB behind.
    private static func residentBytes() throws -> Int {
        let path = "/proc/self/smaps_rollup"
        let text = try String(contentsOfFile: path, encoding: .utf8)
        let line = text.split(separator: "\n").first { $0.hasPrefix("Rss:") }
        guard let size = line?.split(separator: " ").dropFirst().first.flatMap({ Int($0) }) else {
            throw SystemError("Rss in \(path)", number: ENODATA)
        }
        return size * 1_024
    }
}
