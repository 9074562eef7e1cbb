import Foundation
import Spate
import SpateTestSupport

/// `ManyFiles COUNT`: downloads so many files of 4 KiB with one loop over `results(of:)`, from an nginx of its own into
/// memory, and prints after each twentieth how many have come, the seconds since the start, the processor time that this
/// process has used, and the MiB that it has had at most.
///
/// The URLs are made while they are asked for: a list of a million would be larger than all that is measured.
@main enum ManyFiles {
    static let size = 4_096

    static func main() async throws {
        guard let count = CommandLine.arguments.dropFirst().first.flatMap({ Int($0) }), count >= 20 else {
            FileHandle.standardError.write(Data("usage: ManyFiles COUNT, of at least 20\n".utf8))
            exit(2)
        }
        let server = try await NginxServer(
            [.plain],
            settings: NginxSettings(
                server: """
                    access_log off;
                    keepalive_requests 1000000;
                    location / { try_files /body =404; }
                    """
            )
        )
        try server.put([UInt8](repeating: 7, count: size), as: "body")
        let folder = try TemporaryFolder(in: "/dev/shm")
        var configuration = DownloadManager.Configuration()
        configuration.directory = folder.url
        let manager = DownloadManager(configuration: configuration)

        let start = ContinuousClock.now
        var done = 0
        for await (url, result) in manager.results(of: NumberedURLs(server.url("/"), count)) {
            guard case .success = result else { throw WrongResult(text: "\(url): \(result)") }
            done += 1
            if done % (count / 20) == 0 {
                let seconds = (ContinuousClock.now - start) / .seconds(1)
                print(done, String(format: "%.3f %.3f %.1f", seconds, processorSeconds(), try peakMebibytes()))
                fflush(nil)
            }
        }
        try check(folder, count)
    }

    /// Each file is there under its name, and whole.
    private static func check(_ folder: TemporaryFolder, _ count: Int) throws {
        let names = try FileManager.default.contentsOfDirectory(atPath: folder.path).count
        guard names == count else { throw WrongResult(text: "\(names) files in place of \(count)") }
        for number in 0..<count {
            var status = stat()
            guard stat(folder.path("\(number)"), &status) == 0, status.st_size == size else {
                throw WrongResult(text: "\(number) is missing, or not whole")
            }
        }
    }

    private static func processorSeconds() -> Double {
        var time = timespec()
        clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time)
        return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
    }

    private static func peakMebibytes() throws -> Double {
        let status = try String(contentsOfFile: "/proc/self/status", encoding: .utf8)
        let line = status.split(separator: "\n").first { $0.hasPrefix("VmHWM:") }
        let kibibytes = line?.split(separator: " ").dropFirst().first.flatMap { Double($0) }
        guard let kibibytes else { throw WrongResult(text: "no VmHWM in /proc/self/status") }
        return kibibytes / 1_024
    }
}

/// The URLs of the files 0, 1 and so on, each made when it is asked for.
private struct NumberedURLs: Sequence, IteratorProtocol, Sendable {
    private let folder: URL
    private let count: Int
    private var number = 0

    init(_ folder: URL, _ count: Int) {
        (self.folder, self.count) = (folder, count)
    }

    mutating func next() -> URL? {
        guard number < count else { return nil }
        defer { number += 1 }
        return URL(string: "\(number)", relativeTo: folder)
    }
}

private struct WrongResult: Error, CustomStringConvertible {
    let text: String
    var description: String { text }
}
