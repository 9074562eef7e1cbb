import SpateFilePaths
import SpateHTTPSyntax
import SpatePartialFiles

extension FileClaim {
    /// - Parameter folder: the path of the folder that the placement begins with.
    init(_ url: HTTPURL, placed placement: DownloadPlacement, in folder: FilePath, naming: FileNaming) {
        switch placement {
        case .folder: self.init(url, in: folder, naming: naming)
        case .urlFolders(let count):
            let path = URLFolders.path(of: url, cutting: count, below: folder)
            self.init(url, in: path, below: FolderRoot(folder, isOfURLs: true), naming: naming)
        }
    }

    /// - Parameter folder: the path of the folder below which the file's path is.
    init(_ url: HTTPURL, at path: RelativePath, in folder: FilePath) {
        let root = path.folders.isEmpty ? nil : FolderRoot(folder, isOfURLs: false)
        self.init(url, in: path.folder(below: folder), below: root, naming: .explicit(path.name))
    }

    /// The path of the folder that the request chose; `nil` if it is the manager's.
    func chosenFolder(besides ownFolder: FilePath) -> FilePath? {
        let chosen = root?.path ?? folder
        return chosen == ownFolder ? nil : chosen
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
