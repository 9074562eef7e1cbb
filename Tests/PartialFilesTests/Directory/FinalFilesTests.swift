import Glibc
import SpateFilePaths
import SpateFileSystemCalls
import SpateHTTPResumption
import SpateHTTPSyntax
import SpatePartialFiles
import SpateTestSupport
import Testing

/// What is found under the names of a folder, to verify it.
@Suite(.takesTurns) struct FinalFilesTests {
    private static let checksum = "sha256:" + String(repeating: "ab", count: 32)

    private func finish(_ content: String, in folder: DownloadFolder, checksum: String? = checksum) throws {
        let file = try folder.directory.begun(content, total: Int64(content.utf8.count))
        try file.prepareToPublish(size: Int64(content.utf8.count), checksum: checksum)
        _ = try file.publish(replacing: .none)
    }

    private func final(_ name: String, in folder: DownloadFolder) throws -> FinalFile? {
        if case .final(let file) = try folder.directory.find(FilePath(name), wantsAny: false) { file } else { nil }
    }

    @Test(arguments: RecordKeeping.allCases)
    func aFinishedFileKeepsTheChecksumThatItWasProvenToHave(keeping: RecordKeeping) throws {
        let folder = try DownloadFolder(keeping)
        try finish("12345", in: folder)
        let file = try #require(try final("x.zip", in: folder))
        #expect(file.checksum == Self.checksum && file.origin == origin && file.naming == .derived)
        #expect(try file.size == 5 && file.total == 5 && !file.isWritten && file.isUnchanged)
    }

    /// What a file cannot be told to have been checked against must not be claimed later.
    @Test(arguments: RecordKeeping.allCases)
    func aChecksumReplacesTheDigestThatTheServerStated(keeping: RecordKeeping) throws {
        let digest = try #require(StatedDigest(stored: "Digest md5 1B2M2Y8AsgTpgAmY7PhCfg=="))
        for (checksum, kept) in [(Self.checksum, nil), (nil, digest)] as [(String?, StatedDigest?)] {
            let folder = try DownloadFolder(keeping)
            let file = try folder.directory.partial()
            try file.begin(total: 5, validator: nil, encoding: nil, digest: digest)
            try file.append("12345")
            try file.prepareToPublish(size: 5, checksum: checksum)
            _ = try file.publish(replacing: .none)
            let found = try #require(try final("x.zip", in: folder))
            #expect(found.checksum == checksum && found.digest == kept)
        }
    }

    /// A kill between the sync and the rename leaves a whole partial file, which another response may replace.
    @Test(arguments: RecordKeeping.allCases)
    func anotherResponseForgetsTheChecksum(keeping: RecordKeeping) throws {
        let folder = try DownloadFolder(keeping)
        let file = try folder.directory.begun("12345", total: 5)
        #expect(file.keep())
        try file.prepareToPublish(size: 5, checksum: Self.checksum)
        file.close()
        let again = try folder.directory.partial()
        try again.truncate(to: 0)
        try again.begin(total: 3, validator: nil, encoding: nil)
        try again.append("abc")
        try again.finish()
        #expect(try final("x.zip", in: folder)?.checksum == nil)
        #expect(try final("x.zip", in: folder)?.size == 3)
    }

    @Test(arguments: RecordKeeping.allCases)
    func aFileThatSomebodyWroteToIsFound(keeping: RecordKeeping) throws {
        let folder = try DownloadFolder(keeping)
        try finish("12345", in: folder)
        let before = try #require(try final("x.zip", in: folder))
        let descriptor = open(folder.path("x.zip"), O_WRONLY | O_CLOEXEC)
        #expect(ftruncate(descriptor, 3) == 0)
        close(descriptor)
        #expect(try !before.isUnchanged)
        let file = try #require(try final("x.zip", in: folder))
        #expect(file.isWritten && file.size == 3 && file.total == 5)
    }

    /// Only a sidecar has the time of the last write.
    @Test func aWriteThatKeepsTheSizeShowsBesideASidecar() throws {
        let folder = try DownloadFolder(.sidecar)
        try finish("12345", in: folder)
        let times = [timespec(tv_sec: 1_000, tv_nsec: 0), timespec(tv_sec: 1_000, tv_nsec: 0)]
        #expect(utimensat(AT_FDCWD, folder.path("x.zip"), times, 0) == 0)
        let file = try #require(try final("x.zip", in: folder))
        #expect(file.isWritten && file.size == file.total)
    }

    /// Killed before the rename: what the file was to replace is another's, though it has the same size and time.
    @Test func aSidecarThatWaitsForItsFileSaysNothingOfTheFileBefore() throws {
        let folder = try DownloadFolder(.sidecar)
        try folder.write("54321", to: "x.zip")
        let time = try #require(HTTPDate("Sun, 06 Nov 1994 08:49:37 GMT"))
        let times = [timespec(tv_sec: 784_111_777, tv_nsec: 0), timespec(tv_sec: 784_111_777, tv_nsec: 0)]
        #expect(utimensat(AT_FDCWD, folder.path("x.zip"), times, 0) == 0)
        let file = try folder.directory.partial(replacesExisting: true)
        try file.begin(total: 5, validator: nil, encoding: nil, lastModified: time)
        try file.append("12345")
        try file.prepareToPublish(size: 5)
        #expect(try folder.seen(.sidecar).finishedFile() == nil)
        // And after it, before the sidecar has its name.
        #expect(rename(folder.path("x.zip.part"), folder.path("x.zip")) == 0)
        #expect(try folder.seen(.sidecar).finishedFile()?.size == 5)
    }

    @Test(arguments: RecordKeeping.allCases)
    func eachNameLeadsToWhatItIs(keeping: RecordKeeping) throws {
        let folder = try DownloadFolder(keeping)
        try finish("12345", in: folder)
        let part = try folder.directory.begun(try url("http://host/part"), "123")
        try folder.write("a stranger's", to: "stranger")
        try folder.write("a stranger's", to: "other.part")
        #expect(symlink("x.zip", folder.path("link")) == 0 && symlink("nowhere", folder.path("dangling")) == 0)
        #expect(mkdir(folder.path("folder"), 0o755) == 0 && mkfifo(folder.path("pipe"), 0o644) == 0)

        #expect(try folder.directory.fileNames() == ["other.part", "part.part", "stranger", "x.zip"])
        func found(_ name: String, _ wantsAny: Bool) throws -> String {
            do throws(FileSystemError) {
                switch try folder.directory.find(FilePath(name), wantsAny: wantsAny) {
                case .nothing: return "nothing"
                case .partial(let file): return "partial \(file.size) \(file.isInUse)"
                case .final(let file): return "final \(file.size)"
                case .stranger(_, let size): return "stranger \(size)"
                }
            } catch {
                return "\(error.kind)"
            }
        }
        let stranger = "stranger 12"
        let expected: [(name: String, plain: String, wanted: String)] = [
            ("x.zip", "final 5", "final 5"), ("part.part", "partial 3 true", "partial 3 true"),
            ("stranger", stranger, stranger), ("other.part", stranger, stranger), ("none", "nothing", "nothing"),
            ("link", "nothing", "stranger 5"), ("dangling", "nothing", "nothing"),
            ("folder", "nothing", "notRegularFile"), ("pipe", "nothing", "notRegularFile"),
        ]
        for (name, plain, wanted) in expected {
            #expect(try found(name, false) == plain && found(name, true) == wanted, "\(name)")
        }
        part.close()
        #expect(try found("part.part", false) == "partial 3 false")
    }

    @Test func anUnreadableFileIsAnErrorIfItIsOurOwn() throws {
        for (user, isError) in [(geteuid(), true), (geteuid() + 1, false)] {
            let folder = try DownloadFolder { platform in
                platform.user = { user }
                platform.ownerOfNewFile = { _ in nil }
                platform.open = { _, _, _, _ in failing(EACCES) }
            }
            try folder.write("12345", to: "x.zip")
            if isError {
                #expect(failure { try folder.directory.find("x.zip", wantsAny: false) }?.kind == .permissionDenied)
            } else if case .nothing = try folder.directory.find("x.zip", wantsAny: false) {
                #expect(failure { try folder.directory.find("x.zip", wantsAny: true) }?.kind == .permissionDenied)
            } else {
                Issue.record("it is a stranger's")
            }
        }
    }
}
