import Glibc
import SpateExtendedAttributes
import SpateFilePaths
import SpateFileSystemCalls
import SpatePartialFiles
import SpateTestSupport
import Testing

/// Who may read a file after it was replaced, and while the new one arrives.
@Suite(.takesTurns) struct AccessTests {
    private struct Access: Equatable {
        var mode: mode_t
        var owner: uid_t = geteuid()
        var group: gid_t = getegid()
    }

    private func access(_ name: String, in folder: DownloadFolder) throws -> Access {
        var status = stat()
        try #require(lstat(folder.path(name), &status) == 0)
        return Access(mode: status.st_mode & 0o7777, owner: status.st_uid, group: status.st_gid)
    }

    /// Replaces `x.zip`, which has this access, and returns that of the partial and of the new file.
    private func replace(
        in folder: DownloadFolder,
        with access: Access
    ) throws -> (partial: Access, final: Access) {
        try folder.directory.fetch("12345")
        let path = folder.path("x.zip")
        try #require(chown(path, access.owner, access.group) == 0 && chmod(path, access.mode) == 0)
        let file = try folder.directory.partial(replacesExisting: true)
        try file.begin(total: 9, validator: nil, encoding: nil)
        try file.append("67890")
        let partial = try self.access("x.zip.part", in: folder)
        try file.finish(replacing: true)
        #expect(try folder.read("x.zip") == "67890")
        return (partial, try self.access("x.zip", in: folder))
    }

    @Test(arguments: RecordKeeping.allCases)
    func whatReplacesAFileHasItsPermissions(keeping: RecordKeeping) throws {
        for mode: mode_t in [0o600, 0o640, 0o644, 0o400, 0o755, 0o666] {
            let (partial, final) = try replace(in: DownloadFolder(keeping), with: Access(mode: mode))
            #expect(final == Access(mode: mode))
            #expect(partial.mode & 0o077 & ~mode == 0, "nobody reads early what they may not read then")
        }
    }

    /// A new program must not run as the owner of the old one.
    @Test func theBitsThatRunAProgramAsAnotherUserAreDropped() throws {
        let (_, final) = try replace(in: DownloadFolder(), with: Access(mode: 0o6755))
        #expect(final == Access(mode: 0o755))
    }

    @Test(.enabled(if: geteuid() == 0, "giving a file to another user needs root"))
    func rootKeepsTheOwnerAndTheGroup() throws {
        let given = Access(mode: 0o640, owner: 1_234, group: 1_235)
        let (partial, final) = try replace(in: DownloadFolder(), with: given)
        #expect(final == given)
        // It stays this process's own until it is complete, and the group was another's.
        #expect(partial == Access(mode: 0o600))
    }

    @Test(.enabled(if: geteuid() == 0, "giving a file to another user needs root"))
    func whoMayNotKeepTheGroupGivesItNoMoreThanOthers() throws {
        for (mode, left) in [(0o660, 0o600), (0o664, 0o644), (0o646, 0o646)] as [(mode_t, mode_t)] {
            let folder = try DownloadFolder { $0.setOwner = { _, _, _ in failing(EPERM) } }
            let (_, final) = try replace(in: folder, with: Access(mode: mode, owner: 1_234, group: 1_235))
            #expect(final == Access(mode: left))
            let ofGroup = try DownloadFolder { platform in
                platform.setOwner = { $1 == .max ? fchown($0, $1, $2) : failing(EPERM) }
            }
            let (_, kept) = try replace(in: ofGroup, with: Access(mode: mode, owner: 1_234, group: 1_235))
            #expect(kept == Access(mode: mode, group: 1_235))
        }
    }

    /// With an access control list, the group bits are the most that anybody in the list has.
    @Test func anAccessListGivesTheGroupNothing() throws {
        let folder = try DownloadFolder { platform in
            platform.attributes = { ListedAttributes(real: ExtendedAttributes(descriptor: $0)) }
        }
        let (_, final) = try replace(in: folder, with: Access(mode: 0o660))
        #expect(final == Access(mode: 0o600))
    }

    @Test func aLinkGivesNothingToTheFileThatReplacesIt() throws {
        let folder = try DownloadFolder()
        try folder.directory.fetch(try url("http://host/new"), "12345")
        let usual = try access("new", in: folder)
        try folder.write("a stranger's", to: "target")
        #expect(chmod(folder.path("target"), 0o400) == 0 && symlink("target", folder.path("x.zip")) == 0)
        let file = try folder.directory.partial(replacesExisting: true)
        try file.begin(total: 5, validator: nil, encoding: nil)
        try file.append("12345")
        try file.finish(replacing: true)
        #expect(try access("x.zip", in: folder).mode == usual.mode && access("target", in: folder).mode == 0o400)
    }

    /// A file system that has no permissions of each file is no reason to fail, but a failing disk is one.
    @Test func permissionsThatCannotBeSetAreNoFailure() throws {
        for (code, fails) in [(EPERM, false), (ENOTSUP, false), (EIO, true)] {
            let folder = try DownloadFolder { $0.setPermissions = { _, _ in failing(code) } }
            if fails {
                #expect(failure { try replace(in: folder, with: Access(mode: 0o600)) }?.operation == .change)
            } else {
                _ = try replace(in: folder, with: Access(mode: 0o600))
            }
        }
    }
}

/// The attributes of a file with an access control list.
private struct ListedAttributes: FileAttributes {
    let real: ExtendedAttributes

    func text(of name: String) throws(ErrorNumber) -> String? { try real.text(of: name) }
    func names() throws(ErrorNumber) -> [String] { try real.names() + ["system.posix_acl_access"] }
    func set(_ name: String, to text: String) throws(ErrorNumber) { try real.set(name, to: text) }
    func remove(_ name: String) throws(ErrorNumber) { try real.remove(name) }
}
