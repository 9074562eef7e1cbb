import SpateFileSystemCalls

/// The path of a finished file. Joined when somebody wants it: until then it shares the path of its folder.
package struct FinalPath: Hashable, Sendable {
    private let folder: String
    package let name: String

    package init(folder: String, name: String) {
        (self.folder, self.name) = (folder, name)
    }

    package var text: String { OpenFolder.join(folder, name) }
}
