import CSpateAllocationCount
import Foundation
import Spate

/// `AllocationCount`: downloads into the current folder, and counts the allocations meanwhile.
///
/// Each line of standard input is a turn: URLs with spaces in between, downloaded together, three at once. For each turn
/// there is a line on standard output with the number of allocations of all threads and libraries; -1 where a sanitizer
/// has the heap. The first turn's number has in it what is made once. Exit: 0; 1 where a download failed.
@main enum AllocationCount {
    static func main() async {
        var configuration = DownloadManager.Configuration()
        configuration.directory = URL(filePath: FileManager.default.currentDirectoryPath, directoryHint: .isDirectory)
        // What others cost depends on how fast the machine is at the moment.
        configuration.connectionsPerDownload = .exactly(1)
        configuration.connectTimeout = .seconds(3_600)
        configuration.stallTimeout = .seconds(3_600)
        let manager = DownloadManager(configuration: configuration)
        while let line = readLine() {
            let urls = line.split(separator: " ").compactMap { URL(string: String($0)) }
            let before = spate_allocation_count()
            do {
                for download in manager.download(urls) { _ = try await download.file }
            } catch {
                FileHandle.standardError.write(Data("\(error)\n".utf8))
                exit(1)
            }
            let after = spate_allocation_count()
            print(before < 0 ? -1 : after - before)
        }
    }
}
