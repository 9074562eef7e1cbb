package import SpateFilePaths
package import SpateHTTPSyntax

/// The folders that a URL names: its host, and the parts of its path but the last, each made safe.
package enum URLFolders {
    /// Lookups by URL alone find folders of which at most this many parts are left out.
    package static let most = 64

    /// The path of the folder below another one.
    ///
    /// - Parameter count: how many parts of the path are left out. The host stays.
    package static func path(of url: HTTPURL, cutting count: Int, below root: FilePath) -> FilePath {
        names(of: url, cutting: count).reduce(root) { $0.appending($1.path) }
    }

    /// The names, the outermost first. A port other than the scheme's belongs to the host.
    package static func names(of url: HTTPURL, cutting count: Int) -> [FileName] {
        let host = url.port == url.scheme.defaultPort ? url.host : "\(url.host):\(url.port)"
        return ([Array(host.utf8)] + url.folderComponents.dropFirst(max(0, count))).map { FileName(repairing: $0) }
    }
}
