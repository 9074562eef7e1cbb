import Foundation
import Spate

extension DownloadRequest {
    /// What a line of the list asks for; `nil` where it asks for nothing.
    init?(line: Substring) {
        let words = line.split(separator: " ").prefix { !$0.hasPrefix("#") }
        guard let first = words.first, let url = URL(string: String(first)) else { return nil }
        self.init(url)
        // A file that comes whole but is another one never gets its final name.
        sha256 = words.dropFirst().first.map { String($0) }
    }
}
