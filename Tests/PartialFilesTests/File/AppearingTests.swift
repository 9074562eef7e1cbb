import Glibc
import SpateFilePaths
import SpateFileSystemCalls
import SpateHTTPResumption
import SpateHTTPSyntax
import SpateLocking
import SpatePartialFiles
import SpateTestSupport
import Testing

/// A new file has no name until it is whole, or has to be waited for.
@Suite(.takesTurns) struct AppearingTests {
    private func begun(_ content: String = "", total: Int64? = 5, in folder: DownloadFolder) throws -> PartialFile {
        let file = try folder.directory.partial()
        try file.begin(total: total, validator: .etag("\"v1\""), encoding: nil)
        try file.append(content)
        return file
    }

    @Test func aFileThatIsWholeAtOnceHasNoOtherNameThanTheFinalOne() throws {
        let written = Locked<[String]>([])
        let folder = try DownloadFolder { $0.noteAttributes(in: written) }
        let file = try begun("12345", in: folder)
        try file.prepareToPublish(size: 5)
        #expect(try folder.names == [])
        #expect(try file.publish(replacing: .none).path.text == folder.path("x.zip"))
        #expect(try folder.names == ["x.zip"] && folder.read("x.zip") == "12345")
        // The origin comes last: what does not fit into an inode is then written once.
        #expect(written.taken() == ["total 5", "validator \"v1\"", "url \(origin.text)"])
        let fields = try RecordField.allCases.filter { try folder.attribute($0, of: "x.zip") != nil }
        #expect(try fields == [.origin, .total, .validator] && folder.directory.finishedFile()?.size == 5)
    }

    @Test func aBodyOfUnknownLengthIsWholeWithItsLastBytes() throws {
        let folder = try DownloadFolder()
        let file = try begun(total: nil, in: folder)
        _ = try Array("12345".utf8).withUnsafeBytes { try file.write($0, at: 0, isLast: true) }
        #expect(try folder.names == [])
        try file.finish()
        #expect(try folder.directory.finishedFile()?.size == 5)
    }

    /// As when the connection breaks, or a block is full.
    @Test(arguments: [5, nil] as [Int64?])
    func aFileThatIsNotWholeGetsItsPartialNameWithItsFirstBytes(total: Int64?) throws {
        let folder = try DownloadFolder()
        let file = try begun(total: total, in: folder)
        #expect(try folder.names == [])
        try file.append("123")
        #expect(try folder.names == ["x.zip.part"])
        #expect(failure { try folder.seen().partial() }?.kind == .inUse)
        file.close()
        let again = try folder.seen().partial()
        #expect(again.held == HeldBytes(length: 3, total: total, validator: .etag("\"v1\"")))
    }

    /// One of them has the partial name, and its record comes a moment later.
    @Test(arguments: [RecordKeeping.attributes, .sidecar])
    func ofTwoThatNeedAPartialNameAtOnceOneFails(keeping: RecordKeeping) async throws {
        let folder = try DownloadFolder(keeping)
        let files = try (0..<2).map { _ in
            let seen = folder.seen(keeping) { platform in
                platform.linkUnnamed = { [link = platform.linkUnnamed] in
                    let result = link($0, $1, $2)
                    if result == 0 { usleep(20_000) }
                    return result
                }
            }
            return try seen.partial()
        }
        let kinds = await withTaskGroup(of: FileSystemError.Kind?.self) { group in
            for file in files {
                group.addTask {
                    do {
                        try file.begin(total: 5, validator: nil, encoding: nil)
                        try file.append("123")
                        return nil
                    } catch {
                        return (error as? FileSystemError)?.kind
                    }
                }
            }
            return await group.reduce(into: []) { $0.append($1) }
        }
        #expect(Set(kinds) == [nil, .inUse])
        #expect(try folder.names.contains("x.zip.part"))
    }

    @Test func whatIsWholeAndNotPublishedIsKept() throws {
        let folder = try DownloadFolder()
        let file = try begun("12345", in: folder)
        try file.prepareToPublish(size: 5)
        #expect(file.keep() && file.keep())
        file.close()
        #expect(!file.keep())
        #expect(try folder.names == ["x.zip.part"])
        #expect(try folder.seen().partial().held.length == 5)
    }

    /// Its download was finished in that instant.
    @Test func aPartialNameThatIsFreeAgainIsTaken() throws {
        let failures = Locked([EEXIST])
        let folder = try DownloadFolder { platform in
            platform.linkUnnamed = { file, folder, name in
                let code = failures.withLock { $0.popLast() }
                return code.map(failing) ?? Platform.native.linkUnnamed(file, folder, name)
            }
        }
        let file = try begun("123", total: 9, in: folder)
        #expect(try folder.names == ["x.zip.part"])
        file.close()
    }

    @Test func whatNobodyKeepsIsGone() throws {
        let folder = try DownloadFolder { platform in
            platform.linkUnnamed = { _, _, _ in
                Issue.record("a file gets a name that nobody needs")
                return failing(EPERM)
            }
        }
        let empty = try begun(in: folder)
        #expect(!empty.keep())
        empty.close()
        try begun("12345", in: folder).close()
        try begun("12345", in: folder).delete()
        #expect(try folder.names == [])
    }

    @Test(arguments: [false, true])
    func aFileOfADeletedDownloadGetsNoName(hasOne: Bool) throws {
        let folder = try DownloadFolder()
        let file = try begun(hasOne ? "123" : "", in: folder)
        #expect(file.keep() == hasOne)
        file.forgoName()
        if !hasOne { try file.append("123") }
        try file.append("45")
        #expect(failure { try file.finish() } != nil)
        try file.delete()
        #expect(try folder.names == [])
    }

    @Test func aPartialNameThatIsTakenMeanwhileIsLeftToItsOwner() throws {
        // Another process has this file, and is writing it.
        let folder = try DownloadFolder()
        let file = try begun(in: folder)
        let other = try folder.seen().begun("12")
        #expect(failure { try file.append("123") }?.kind == .inUse)
        #expect(!file.keep())
        file.close()
        #expect(try folder.names == ["x.zip.part"] && folder.read("x.zip.part") == "12")
        withExtendedLifetime(other) {}
    }

    @Test func besideAStrangersPartialFileThereIsAnotherName() throws {
        let folder = try DownloadFolder()
        let file = try begun(in: folder)
        try folder.write("12", to: "x.zip.part")
        try file.append("123")
        let name = "x.zip.\(URLHash(origin).digits8).part"
        #expect(try file.location.partialName.text == name && folder.names == [name, "x.zip.part"].sorted())
        try file.append("45")
        try file.finish()
        #expect(try folder.names == ["x.zip", "x.zip.part"] && folder.read("x.zip.part") == "12")
    }

    @Test(arguments: RecordKeeping.allCases)
    func besideAStrangersFileThereIsAnotherFinalName(keeping: RecordKeeping) throws {
        let folder = try DownloadFolder(keeping)
        let file = try begun("12345", in: folder)
        try folder.write("a stranger's", to: "x.zip")
        try file.prepareToPublish(size: 5)
        #expect(failure { try file.publish(replacing: .none) }?.kind == .alreadyExists)
        let name = try #require(
            try folder.directory.finalName(folder.claim) { $0 == "x.zip" }
        ).text
        #expect(name == "x-\(URLHash(origin).digits8).zip")
        file.choose(finalName: FilePath(name))
        try file.prepareToPublish(size: 5)
        #expect(try file.publish(replacing: .none).path.text == folder.path(name))
        #expect(try folder.read("x.zip") == "a stranger's" && folder.read(name) == "12345")
        #expect(try folder.directory.finishedFile()?.name.text == name)
        #expect(try folder.names == (keeping == .sidecar ? [".\(name).spate"] : []) + [name, "x.zip"])
        // A name that the caller chose has no other.
        #expect(try folder.directory.finalName(folder.directory.claim(origin, .named("x.zip"))) { _ in false } == nil)
    }

    /// Two processes that fetch the same small file.
    @Test func ofTwoThatRaceForOneFileBothHaveIt() throws {
        let folder = try DownloadFolder()
        let (first, second) = (try begun("12345", in: folder), try begun("12345", in: folder))
        for file in [first, second] { #expect(try file.finish() == folder.path("x.zip")) }
        #expect(try folder.names == ["x.zip"] && folder.directory.finishedFile()?.size == 5)
    }

    @Test(arguments: [false, true])
    func whereFilesCannotBeNamedLaterTheyHaveTheirNameFromTheStart(isWhole: Bool) throws {
        let syncs = Locked(0)
        let folder = try DownloadFolder { platform in
            platform.linkUnnamed = { _, _, _ in failing(EPERM) }
            platform.countSyncs(in: syncs)
        }
        let file = try begun(total: 9, in: folder)
        #expect(try file.allowGaps())
        try file.append(isWhole ? "123456789" : "123")
        if !isWhole {
            try file.write("78", at: 6)
            #expect(try folder.read("x.zip.part") == "123\0\0\078")
            try file.write("456", at: 3)
            try file.append("9")
        }
        try file.finish()
        // The copy is synced, too.
        #expect(syncs.withLock { $0 } == (isWhole ? 2 : 1))
        #expect(try folder.names == ["x.zip"] && folder.read("x.zip") == "123456789")
        #expect(try folder.attribute(.validator, of: "x.zip") == "\"v1\"")
        let next = try folder.directory.partial(of: try url("http://host/y.zip"))
        #expect(try folder.names == ["x.zip", "y.zip.part"])
        next.close()
    }

    /// The first bytes are on their way to the file without a name when others have it copied.
    @Test func whatIsWrittenWhileAFileIsCopiedIsInTheCopy() throws {
        let meanwhile = Locked<(@Sendable () throws -> Void)?>(nil)
        let folder = try DownloadFolder { platform in
            platform.linkUnnamed = { _, _, _ in failing(EPERM) }
            platform.write = { file, bytes, count, offset in
                let written = Platform.native.write(file, bytes, count, offset)
                try? meanwhile.withLock { $0.take() }?()
                return written
            }
        }
        let file = try begun(total: 9, in: folder)
        #expect(try file.allowGaps())
        meanwhile.withLock { $0 = { try file.write("78", at: 6) } }
        try file.write("123", at: 0)
        #expect(file.filled.ranges == [0..<3, 6..<8])
        #expect(try folder.read("x.zip.part") == "123\0\0\078")
    }

    @Test func aSyncOfAFileThatIsCopiedMeanwhileMarksNothingInTheCopy() throws {
        let meanwhile = Locked<(@Sendable () -> Void)?>(nil)
        let folder = try DownloadFolder { platform in
            platform.linkUnnamed = { _, _, _ in failing(EPERM) }
            platform.sync = { descriptor in
                meanwhile.withLock { $0.take() }?()
                return fsync(descriptor)
            }
        }
        let file = try begun("12345", in: folder)
        meanwhile.withLock { action in action = { [weak file] in _ = file?.keep() } }
        try file.sync()
        #expect(try folder.names == ["x.zip.part"] && file.durable.isEmpty)
        try file.sync()
        #expect(file.durable.front == 5)
    }

    @Test(arguments: [EOPNOTSUPP, EISDIR, EINVAL, ENOENT, ENOSYS])
    func whereThereAreNoUnnamedFilesOneTryTellsThat(code: CInt) throws {
        let turns = Locked(0)
        let folder = try DownloadFolder { platform in
            platform.openUnnamed = { _ in
                turns.withLock { $0 += 1 }
                return failing(code)
            }
        }
        for name in ["x", "y"] {
            try folder.directory.partial(of: try url("http://host/\(name)")).close()
            #expect(try folder.names.contains("\(name).part"))
        }
        #expect(turns.withLock { $0 } == 1)
    }

    @Test func aDiskThatTakesNoFileIsKnownBeforeAnythingIsFetched() throws {
        let folder = try DownloadFolder { $0.openUnnamed = { _ in failing(ENOSPC) } }
        #expect(failure { try folder.directory.partial() }?.kind == .diskFull)
    }
}
