import Foundation
import Spate
import SpateConsole

extension DownloadItem {
    /// The lines for an input file, as read or in the same form. `nil` if no line can have the name or the folder.
    var inputLines: String? {
        if let lines { return lines }
        var lines = ([source] + mirrors).map(\.url.absoluteString).joined(separator: "\t")
        for (option, value) in [("out", fileName), ("dir", directory)] {
            guard let value else { continue }
            guard !DownloadURL.hasControl(value), value[...].trimmingSpaces == value else { return nil }
            lines += "\n  \(option)=\(value)"
        }
        for header in headers { lines += "\n  header=\(header.name): \(header.value)" }
        if let checksum {
            // aria2 writes `sha-256`.
            let algorithm = checksum.algorithm.rawValue.replacing("sha", with: "sha-")
            lines += "\n  checksum=\(algorithm)=\(checksum.hexadecimal)"
        }
        return lines
    }
}
