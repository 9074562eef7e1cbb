import SpateFilePaths
import SpateHTTPSyntax
import SpatePartialFiles

/// The place for the file of a request.
struct FilePlace: Hashable, Sendable {
    /// The folder's path.
    let directory: FilePath
    /// The path of the folder below which the URL's folders are; `nil` if there are none.
    let root: FilePath?
    let naming: FileNaming

    init(directory: FilePath, root: FilePath? = nil, naming: FileNaming) {
        (self.directory, self.root, self.naming) = (directory, root, naming)
    }

    init(of url: HTTPURL, placed placement: DownloadPlacement, in folder: FilePath, naming: FileNaming) {
        switch placement {
        case .folder: self.init(directory: folder, naming: naming)
        case .urlFolders(let count):
            let path = URLFolders.path(of: url, cutting: count, below: folder)
            self.init(directory: path, root: folder, naming: naming)
        }
    }

    /// The path of the folder that the request chose; `nil` if it is the manager's.
    func chosenFolder(besides ownFolder: FilePath) -> FilePath? {
        let chosen = root ?? directory
        return chosen == ownFolder ? nil : chosen
    }

    /// Whether a stored file may be the one of a request with this place. A partial file does not show whether a
    /// response will name it, nor whether a request chose its name, if that is the URL's.
    func leads(to file: StoredFile) -> Bool {
        guard directory == file.folder else { return false }
        return switch naming {
        case .explicit(let name): !file.hasStatedName && name.path == file.finalName
        case .derived, .stated: !file.naming.isExplicit
        }
    }

    /// Whether a request for this URL with another place has the same partial file, as far as names show.
    ///
    /// - Parameter isTaken: whether a download of another URL has this name.
    func sharesPart(
        with other: FilePlace,
        of url: HTTPURL,
        besides isTaken: (_ name: FilePath) -> Bool = { _ in false }
    ) -> Bool {
        if self == other { return true }
        guard directory == other.directory else { return false }
        let names = [self, other].map { $0.naming.candidates(for: url).first { !isTaken($0.path) } }
        return names[0] != nil && names[0] == names[1]
    }
}

extension DownloadNaming {
    func takesServersName(for url: HTTPURL) -> Bool {
        switch self {
        case .url: false
        case .server: true
        case .automatic: url.hasQuery || !url.namesExtension
        }
    }
}

extension DownloadPlacement {
    /// How many parts of the URL's path are left out; `nil` if it makes no folders.
    var cutCount: Int? { if case .urlFolders(let count) = self { count } else { nil } }
}
