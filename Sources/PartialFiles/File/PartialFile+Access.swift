import SpateExtendedAttributes
package import SpateFilePaths
package import SpateFileSystemCalls

/// The owner and permissions of a file that replaces another regular file. A link is replaced like nothing.
extension PartialFile {
    /// Nobody may read the new file who may not read the old one, not even while it arrives.
    ///
    /// - Parameter name: the name of the old file.
    package func restrictAccess(replacing name: FilePath) throws(FileSystemError) {
        guard let replaced = try folder.status(of: name), replaced.kind == .regular else { return }
        try file.restrictAccess(to: replaced)
    }

    /// Call this right before the rename.
    func takeAccess(_ state: State) throws(FileSystemError) {
        let name = state.location.finalName
        guard let replaced = try folder.status(of: name), replaced.kind == .regular else { return }
        try state.file.takeAccess(of: replaced, hasAccessList: mayHaveAccessList(name))
    }

    private func mayHaveAccessList(_ name: FilePath) -> Bool {
        // What cannot be read may have one.
        guard let file = (try? folder.openPossible(name)) ?? nil else { return true }
        do throws(ErrorNumber) {
            return try file.attributes.names().contains("system.posix_acl_access")
        } catch {
            return error.attributeFailure != .unsupported
        }
    }
}
