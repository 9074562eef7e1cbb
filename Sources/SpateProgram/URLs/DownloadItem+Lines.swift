import Foundation
import Spate
import SpateConsole

extension DownloadItem {
    /// The lines for an input file, as read or in the same form. `nil` if no line can have the name or the folder.
    var inputLines: String? {
        if let lines { return lines }
        let settings = settings
        var lines = ([source] + settings.mirrors).map(\.url.absoluteString).joined(separator: "\t")
        for (option, value) in [("out", settings.fileName), ("dir", settings.directory)] {
            guard let value else { continue }
            guard !DownloadURL.hasControl(value), value[...].trimmingSpaces == value else { return nil }
            lines += "\n  \(option)=\(value)"
        }
        for header in settings.headers { lines += "\n  header=\(header.name): \(header.value)" }
        if let checksum = settings.checksum {
            // aria2 writes `sha-256`.
            let algorithm = checksum.algorithm.rawValue.replacing("sha", with: "sha-")
            lines += "\n  checksum=\(algorithm)=\(checksum.hexadecimal)"
        }
        return lines
    }
}
