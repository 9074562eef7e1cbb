import Glibc
import SpateExtendedAttributes
import SpateFilePaths
import SpateFileSystemCalls
import SpateHTTPResumption
import SpateLocking
import SpatePartialFiles
import SpateTestSupport
import Testing

/// Files of another user, who may have forged what their attributes say.
@Suite(.takesTurns, .enabled(if: geteuid() == 0, "giving a file to another user needs root")) struct OwnerTests {
    private static let stranger: uid_t = 65_534

    private func give(_ names: [String], in folder: DownloadFolder) {
        for name in names { #expect(chown(folder.path(name), Self.stranger, .max) == 0) }
    }

    @Test func anotherUsersFilesAreStrangers() throws {
        let folder = try DownloadFolder()
        try folder.directory.fetch("12345")
        try folder.directory.begun(try url("http://host/y.zip"), "1").close()
        try folder.write("", to: "z.zip.part")
        give(["x.zip", "y.zip.part", "z.zip.part"], in: folder)

        #expect(try folder.directory.contents() == [])
        #expect(try folder.directory.finishedFile() == nil)
        for (name, there) in [("x.zip", "x.zip"), ("y.zip", "y.zip.part"), ("z.zip", "z.zip.part")] {
            let file = try folder.directory.partial(of: try url("http://host/" + name))
            #expect(
                file.held.length == 0
                    && ![file.location.finalName, file.location.partialName].contains(FilePath(there))
            )
            file.close()
            try folder.directory.delete(folder.directory.claim(try url("http://host/" + name), .derived))
        }
        #expect(try folder.names == ["x.zip", "y.zip.part", "z.zip.part"])
    }

    @Test func anotherUsersSidecarSaysNothing() throws {
        let folder = try DownloadFolder(.sidecar)
        try folder.directory.fetch("12345")
        give([".x.zip.spate"], in: folder)
        #expect(try folder.directory.contents() == [])
    }

    /// Whether a file of another user may be read says nothing, either.
    @Test func whatMayNotBeReadIsAStrangersIfItIsAnotherUsers() throws {
        let folder = try DownloadFolder()
        try folder.directory.fetch("12345")
        let seen = folder.seen { $0.open = { _, _, _, _ in failing(EACCES) } }
        #expect(failure { try seen.contents() }?.kind == .permissionDenied)
        #expect(failure { try seen.delete() }?.kind == .permissionDenied)
        #expect(try seen.contents(skippingForbidden: true) == [])
        give(["x.zip"], in: folder)
        #expect(try seen.contents() == [])
        try seen.delete()
        #expect(try folder.names == ["x.zip"])
    }

    /// Whose files we make may be unknown for a moment only.
    @Test func whetherAFileIsOursIsAskedAgainAfterTrouble() throws {
        let trouble = Locked(true)
        let folder = try DownloadFolder(.attributes) { platform in
            platform.ownerOfNewFile = { _ in
                if !trouble.withLock({ $0 }) { return Self.stranger }
                errno = EMFILE
                return nil
            }
        }
        try folder.directory.fetch("12345")
        give(["x.zip"], in: folder)
        #expect(failure { try folder.directory.finishedFile() }?.kind == .tooManyOpenFiles)
        trouble.withLock { $0 = false }
        #expect(try folder.directory.finishedFile()?.size == 5)
    }

    /// As on vfat, or on NFS that gives all files to one user.
    @Test func whereEveryFileGetsAnotherOwnerItIsOurs() throws {
        let folder = try DownloadFolder(.attributes) { $0.ownerOfNewFile = { _ in Self.stranger } }
        try folder.directory.fetch("12345")
        give(["x.zip"], in: folder)
        #expect(try folder.directory.finishedFile()?.size == 5)
    }

    @Test func askingForTheOwnerOfNewFilesLeavesNone() throws {
        let folder = try DownloadFolder()
        let descriptor = try SystemCall.run { open(folder.path, O_RDONLY | O_DIRECTORY | O_CLOEXEC) }
        defer { close(descriptor) }
        #expect(Platform.native.ownerOfNewFile(descriptor) == geteuid())
        #expect(try folder.names == [])
    }
}
