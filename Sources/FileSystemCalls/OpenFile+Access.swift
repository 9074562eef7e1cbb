import Glibc
import SpateExtendedAttributes

/// Who may read and write a file that replaces another: nobody who might not before.
extension OpenFile {
    /// While the file arrives: takes from group and others what they may not do with the file that it will replace.
    package func restrictAccess(to replaced: FileStatus) throws(FileSystemError) {
        let present = try status()
        try setPermissions(present.permissions & (replaced.permissions(in: present.group) | 0o700), of: present)
    }

    /// Gives the file the owner and group of the file that it replaces, if this process may, and its permissions. Without
    /// the group, the group may do what others may. The bits that run a program as another user are dropped.
    ///
    /// - Parameter hasAccessList: whether the replaced file has an access control list, which is not kept. Then its group
    ///   bits say nothing about its group.
    package func takeAccess(of replaced: FileStatus, hasAccessList: Bool) throws(FileSystemError) {
        var present = try status()
        // In this order: a change of the owner may clear permissions.
        if present.owner != replaced.owner || present.group != replaced.group {
            // Only root may give a file away. Its owner may give it to a group of theirs.
            if try !setOwner(replaced.owner, replaced.group) { _ = try setOwner(.max, replaced.group) }
            present = try status()
        }
        try setPermissions(replaced.permissions(in: hasAccessList ? nil : present.group), of: present)
    }

    private func setPermissions(_ permissions: mode_t, of present: FileStatus) throws(FileSystemError) {
        if permissions == present.permissions { return }
        _ = try change { folder.platform.setPermissions(descriptor, permissions) }
    }

    private func setOwner(_ owner: uid_t, _ group: gid_t) throws(FileSystemError) -> Bool {
        try change { folder.platform.setOwner(descriptor, owner, group) }
    }

    /// Returns false if the process may not do that, or the file system cannot.
    private func change(_ body: () -> CInt) throws(FileSystemError) -> Bool {
        do throws(ErrorNumber) {
            _ = try SystemCall.run(body)
            return true
        } catch {
            switch error.code {
            case EPERM, EACCES, EINVAL, ENOTSUP, ENOSYS: return false
            default: throw FileSystemError(.change, path, code: error.code)
            }
        }
    }
}

extension FileStatus {
    /// The permissions for a new file in this group; nil if the group's are unknown.
    fileprivate func permissions(in group: gid_t?) -> mode_t {
        let plain = permissions & 0o777
        if group == self.group { return plain }
        // Members of another group were among the others.
        return plain & (0o707 | (plain & 0o007) << 3)
    }
}
