package import SpateFilePaths

/// The path of a file below a folder, with each part made safe. It never leads out of the folder.
package struct RelativePath: Hashable, Sendable {
    package let folders: [FileName]
    package let name: FileName

    /// Leaves out empty parts, `.` and `..`. At least one part must remain.
    package init(_ path: FilePath) throws(FileNameError) {
        var names = path.names.filter { !["", ".", ".."].contains($0) }.map { FileName(repairing: Array($0.bytes)) }
        guard let name = names.popLast() else { throw FileNameError(name: path, flaw: .empty) }
        (folders, self.name) = (names, name)
    }

    /// The path of its folder below another one.
    package func folder(below root: FilePath) -> FilePath { folders.reduce(root) { $0.appending($1.path) } }
}
