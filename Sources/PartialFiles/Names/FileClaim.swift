package import SpateFilePaths
package import SpateHTTPSyntax

/// Which names in which folder a URL's file, and its partial files, may have. Pure.
///
/// Two requests are about the same file if their claims overlap.
package struct FileClaim: Hashable, Sendable {
    package let origin: HTTPURL
    /// The folder's path.
    package let folder: FilePath
    /// The folder below which it was made for downloads; nil if it was chosen.
    package let root: FolderRoot?
    package let naming: FileNaming

    package init(_ origin: HTTPURL, in folder: FilePath, below root: FolderRoot? = nil, naming: FileNaming) {
        (self.origin, self.folder, self.root, self.naming) = (origin, folder, root, naming)
    }

    /// - Parameters:
    ///   - cutURLFolders: how many parts of the URL's path are left out, if host and path become folders.
    ///   - folder: the path of the folder with the file, or with those folders.
    package init(_ origin: HTTPURL, cuttingURLFolders cut: Int?, in folder: FilePath, naming: FileNaming) {
        guard let cut else {
            self.init(origin, in: folder, naming: naming)
            return
        }
        let path = URLFolders.path(of: origin, cutting: cut, below: folder)
        self.init(origin, in: path, below: FolderRoot(folder, isOfURLs: true), naming: naming)
    }

    /// - Parameter folder: the path of the folder below which the file's path is.
    package init(_ origin: HTTPURL, at path: RelativePath, in folder: FilePath) {
        let root = path.folders.isEmpty ? nil : FolderRoot(folder, isOfURLs: false)
        self.init(origin, in: path.folder(below: folder), below: root, naming: .explicit(path.name))
    }

    /// The path of the folder that the request chose; nil if it is the manager's.
    package func chosenFolder(besides ownFolder: FilePath) -> FilePath? {
        let chosen = root?.path ?? folder
        return chosen == ownFolder ? nil : chosen
    }

    /// Equal for claims with the same best name in the same folder.
    package var placeHash: Int {
        var hasher = Hasher()
        hasher.combine(origin)
        hasher.combine(folder)
        hasher.combine(preferred)
        return hasher.finalize()
    }

    /// It without the user and the password of its URL.
    package var withoutCredentials: FileClaim {
        FileClaim(origin.withCredentials(nil), in: folder, below: root, naming: naming)
    }

    /// The final names to try, best first, before there is a response.
    package var names: FileNaming.Candidates { naming.candidates(for: origin) }

    /// The final name if it is free.
    package var preferred: FileName {
        switch naming {
        case .explicit(let name): name
        case .derived, .stated: FileName(derivedFrom: origin)
        }
    }

    /// The path of the file if its best name is free.
    package var path: FilePath { folder.appending(preferred.path) }

    /// The same, below the folder that the request or its manager chose.
    package var relativePath: FilePath? { path.below(root?.path ?? folder) }

    /// The names that its partial files may have.
    package var partialNames: [FilePath] { names.flatMap { $0.partials(of: origin) } }

    /// Whether a file of one of the two may be one of the other, as far as names show.
    package func overlaps(_ other: FileClaim) -> Bool {
        guard origin == other.origin, folder == other.folder else { return false }
        return naming == other.naming || names.contains { name in other.names.contains(name) }
    }

    /// Whether its file and its partial files are missing.
    ///
    /// - Parameter isMissing: whether nothing has this name.
    package func isNew(where isMissing: (_ name: FilePath) -> Bool) -> Bool {
        names.prefix(names.hashTurn + 1).allSatisfy { name in
            isMissing(name.path) && isMissing(name.partial) && isMissing(name.partial(of: origin))
        }
    }
}

/// A folder below which others are made for downloads.
package struct FolderRoot: Hashable, Sendable {
    package let path: FilePath
    /// Whether they are made of URLs, so that a URL leads to them.
    package let isOfURLs: Bool

    package init(_ path: FilePath, isOfURLs: Bool) {
        (self.path, self.isOfURLs) = (path, isOfURLs)
    }
}
