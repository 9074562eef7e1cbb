import Foundation
import SpateHTTPSyntax
import SpatePartialFiles

extension DownloadNaming {
    func fileNaming(for url: HTTPURL) -> FileNaming {
        switch self {
        case .url: .derived
        case .server: .stated
        case .automatic: .automatic(for: url)
        }
    }
}

extension DownloadPlacement {
    /// How many parts of the URL's path are left out; `nil` if it makes no folders.
    var cutCount: Int? { if case .urlFolders(let count) = self { count } else { nil } }
}

extension DownloadRequest {
    /// A request that leads to a file again.
    init(_ url: URL, _ naming: FileNaming, in directory: URL?) {
        self.init(url, directory: directory)
        switch naming {
        case .explicit(let name): fileName = name.text
        case .stated: self.naming = .server
        case .derived: break
        }
    }
}
