import Foundation
import Spate

/// `MidDownload exit|list URL COUNT [AUTHORITIES]`: downloads URL/0, URL/1 and so on into the current folder, and does
/// something else once the first is complete.
///
/// `exit` exits with status 7. `list` lists the descriptors that a program started by this one inherits.
@main enum MidDownload {
    static func main() async throws {
        let arguments = CommandLine.arguments
        guard arguments.count >= 4, let url = URL(string: arguments[2]), let count = Int(arguments[3]) else { exit(2) }
        // Registered first, so it runs last: the downloads' threads have time to use what other handlers have freed.
        atexit { usleep(300_000) }
        var configuration = DownloadManager.Configuration()
        configuration.directory = URL(filePath: FileManager.default.currentDirectoryPath, directoryHint: .isDirectory)
        configuration.certificateAuthorities = arguments.dropFirst(4).first.map { URL(filePath: $0) }
        configuration.maxConcurrentDownloads = 8
        let manager = DownloadManager(configuration: configuration)
        let downloads = manager.download((0..<count).map { url.appending(path: "\($0)") })
        _ = try await downloads[0].file
        if arguments[1] == "exit" { exit(7) }
        var child: pid_t = 0
        let program: [UnsafeMutablePointer<CChar>?] = [strdup("/bin/ls"), strdup("-l"), strdup("/proc/self/fd"), nil]
        guard posix_spawn(&child, "/bin/ls", nil, nil, program, environ) == 0 else { exit(3) }
        waitpid(child, nil, 0)
        _exit(0)
    }
}
