import Glibc
import SpateFilePaths
import SpateFileSystemCalls
import SpateHTTPResumption
import SpateHTTPSyntax
import SpateLocking
import SpatePartialFiles
import SpateTestSupport
import Testing

@Suite(.takesTurns) struct PublishingTests {
    private func prepared(_ folder: DownloadFolder) throws -> PartialFile {
        let file = try folder.directory.partial()
        try file.begin(total: 5, validator: .etag("\"v1\""), encoding: nil)
        try file.append("12345")
        try file.prepareToPublish(size: 5)
        return file
    }

    @Test(arguments: RecordKeeping.allCases)
    func aLinkIsReplacedAndItsTargetIsNot(keeping: RecordKeeping) throws {
        let folder = try DownloadFolder(keeping)
        try folder.write("a stranger's", to: "victim")
        #expect(symlink("victim", folder.path("x.zip")) == 0)
        _ = try prepared(folder).publish(replacing: .none)
        #expect(folder.kind(of: "x.zip") == S_IFREG)
        #expect(try folder.read("x.zip") == "12345" && folder.read("victim") == "a stranger's")
    }

    /// How a rename that replaces nothing is done, depending on the file system.
    enum Way: CaseIterable {
        case byFlag, byLink, byLooking

        func change(_ platform: inout Platform) {
            if self == .byFlag { return }
            platform.renameWithoutReplacing = { _, _, _ in failing(EINVAL) }
            if self == .byLink { return }
            platform.link = { _, _, _ in failing(EPERM) }
        }
    }

    @Test(arguments: Way.allCases, RecordKeeping.allCases)
    func aStrangersFileThatAppearedMeanwhileIsNotOverwritten(way: Way, keeping: RecordKeeping) throws {
        let folder = try DownloadFolder(keeping, way.change)
        let file = try prepared(folder)
        try folder.write("a stranger's", to: "x.zip")
        let error = failure { try file.publish(replacing: .none) }
        #expect(error?.kind == .alreadyExists && error?.path.text == folder.path("x.zip"))
        #expect(try folder.read("x.zip") == "a stranger's" && folder.kind(of: ".x.zip.spate") == nil)

        // The bytes stay, for another name, or until the caller allows replacing.
        #expect(try folder.read("x.zip.part") == "12345")
        _ = try file.publish(replacing: .all)
        #expect(try folder.read("x.zip") == "12345" && folder.kind(of: "x.zip.part") == nil)
    }

    @Test(arguments: Way.allCases, RecordKeeping.allCases)
    func everyWayLeavesOneFile(way: Way, keeping: RecordKeeping) throws {
        let folder = try DownloadFolder(keeping, way.change)
        _ = try prepared(folder).publish(replacing: .none)
        #expect(try folder.names == (keeping == .sidecar ? [".x.zip.spate"] : []) + ["x.zip"])
        // It was synced, so it is trusted after the next boot, too.
        let later = folder.seen(keeping) { $0.boot = RecordKeeping.otherBoot }
        #expect(try later.finishedFile()?.size == 5 && folder.directory.contents().map(\.isFinished) == [true])
    }

    @Test(arguments: Way.allCases)
    func aFolderIsNeverReplaced(way: Way) throws {
        let folder = try DownloadFolder(.attributes, way.change)
        let file = try prepared(folder)
        #expect(mkdir(folder.path("x.zip"), 0o755) == 0)
        #expect(failure { try file.publish(replacing: .all) }?.kind == .alreadyExists)
        #expect(folder.kind(of: "x.zip") == S_IFDIR)
    }

    @Test func whatIsPreparedButNotPublishedLeavesNoSidecar() throws {
        let folder = try DownloadFolder(.sidecar)
        try prepared(folder).close()
        #expect(try folder.names == [".x.zip.part.spate", "x.zip.part"])
        // Nor does it after a kill, once its download is deleted.
        try folder.write("user.xdg.origin.url=\(origin.text)\n", to: ".x.zip.spate.tmp")
        try folder.write("user.xdg.origin.url=http://host/y.zip\n", to: ".y.zip.spate.tmp")
        try folder.directory.delete()
        try folder.directory.delete(folder.directory.claim(try url("http://other/y.zip"), .derived))
        #expect(try folder.names == [".y.zip.spate.tmp"])
    }

    @Test func manyShareASyncOfTheFolder() throws {
        let (syncs, synced) = (Locked(0), Locked<[Int]>([]))
        let inTheFirst = Locked<(@Sendable () -> Void)?>(nil)
        let folder = try DownloadFolder { platform in
            platform.sync = { descriptor in
                inTheFirst.withLock { $0.take() }?()
                syncs.withLock { $0 += 1 }
                return fsync(descriptor)
            }
        }
        let files = try (0..<5).map { number in
            let file = try folder.directory.begun(try url("http://host/\(number)"), total: 0)
            try file.finish()
            return file
        }
        syncs.withLock { $0 = 0 }
        inTheFirst.withLock { action in
            action = {
                for (number, file) in files.enumerated().dropFirst() {
                    file.whenFinalNameIsSynced { _ in synced.withLock { $0.append(number) } }
                }
                #expect(synced.withLock { $0.isEmpty })
            }
        }
        files[0].whenFinalNameIsSynced { _ in
            // The others came too late for this sync.
            #expect(syncs.withLock { $0 } == 1)
            synced.withLock { $0.append(0) }
        }
        #expect(syncs.withLock { $0 } == 2 && synced.withLock { $0 } == [0, 1, 2, 3, 4])
    }

    @Test func nothingIsDoneToAPublishedFile() throws {
        let folder = try DownloadFolder()
        let file = try prepared(folder)
        _ = try file.publish(replacing: .none)
        try file.sync()
        try file.delete()
        file.close()
        #expect(try folder.read("x.zip") == "12345" && folder.attribute(.durable, of: "x.zip") == nil)
        #expect(failure { try file.publish(replacing: .none) } != nil)
    }
}
