package import SpateFilePaths

/// The path of a finished file. Joined when somebody wants it: until then it shares the path of its folder.
package struct FinalPath: Hashable, Sendable {
    private let folder: FilePath
    package let name: FilePath

    package init(folder: FilePath, name: FilePath) {
        (self.folder, self.name) = (folder, name)
    }

    package var path: FilePath { folder.appending(name) }
}
