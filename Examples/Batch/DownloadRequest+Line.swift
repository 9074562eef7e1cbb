import Foundation
import Spate

extension DownloadRequest {
    /// The request of a line. `nil` if the line has no URL.
    init?(line: Substring) {
        let words = line.split(separator: " ").prefix { !$0.hasPrefix("#") }
        guard let first = words.first, let url = URL(string: String(first)) else { return nil }
        self.init(url)
        // A file with the wrong checksum never gets its final name.
        sha256 = words.dropFirst().first.map { String($0) }
    }
}
