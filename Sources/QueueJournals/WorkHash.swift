package import SpateFilePaths
package import SpateHTTPSyntax
import SpatePartialFiles

/// Makes the hashes of what has been done for a URL, for entries and for requests, which need no entry for that.
package struct WorkHash {
    /// Has the URL.
    private let hasher: Hasher

    package init(of url: String) {
        var hasher = Hasher()
        hasher.combine(url)
        self.hasher = hasher
    }

    /// The name that a request chose; `nil` if it is the URL's, which leads to the same file.
    package static func chosenName(_ name: FilePath?, besides url: @autoclosure () -> HTTPURL?) -> FilePath? {
        guard let name, let url = url() else { return name }
        return FileName(derivedFrom: url).path == name ? nil : name
    }

    /// - Parameter folder: the path of the chosen folder; `nil` for the journal's own.
    package func ofPlace(_ folder: FilePath?, cutURLFolders: Int?, _ fileName: FilePath?) -> Int {
        var hasher = hasher
        hasher.combine(folder)
        hasher.combine(cutURLFolders)
        hasher.combine(fileName)
        return hasher.finalize()
    }

    /// - Parameter folder: the path of the file's folder; `nil` for the journal's own.
    package func ofFile(
        _ folder: FilePath?,
        _ fileName: FilePath?,
        _ naming: JournalEntry.Naming?,
        _ checksum: String?,
        hasPieces: Bool,
        replaces: Bool,
        checksForUpdate: Bool
    ) -> Int {
        var hasher = hasher
        hasher.combine(folder)
        hasher.combine(fileName)
        hasher.combine(naming)
        hasher.combine(checksum)
        hasher.combine(hasPieces)
        hasher.combine(replaces)
        hasher.combine(checksForUpdate)
        return hasher.finalize()
    }

    package func ofRefusal(_ mirrors: [String]) -> Int {
        var hasher = hasher
        hasher.combine(mirrors)
        return hasher.finalize()
    }
}
