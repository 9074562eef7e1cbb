import Foundation
import Spate
import SpateConsole

extension DownloadItem {
    /// The lines for an input file, as read or in the same form. `nil` if no line can have the name or the folder.
    ///
    /// - Parameter request: the request for this item, which has the options of the command line, too.
    func inputLines(for request: DownloadRequest) -> String? {
        if let lines { return lines }
        var lines = ([source.url] + request.mirrors).map(\.absoluteString).joined(separator: "\t")
        for (option, value) in [("out", request.fileName), ("dir", request.directory?.path)] {
            guard let value else { continue }
            guard !DownloadURL.hasControl(value), value[...].trimmingSpaces == value else { return nil }
            lines += "\n  \(option)=\(value)"
        }
        for header in settings.headers { lines += "\n  header=\(header.name): \(header.value)" }
        if let checksum = request.checksum {
            // aria2 writes `sha-256`.
            let algorithm = checksum.algorithm.rawValue.replacing("sha", with: "sha-")
            lines += "\n  checksum=\(algorithm)=\(checksum.hexadecimal)"
        }
        return lines
    }
}
