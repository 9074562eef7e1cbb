import ExtendedAttributes
import Glibc
import HTTPResumption
import Locking
import PartialFiles
import TestSupport
import Testing

/// A new file has no name until it is whole, or has to be waited for.
@Suite(.takesTurns) struct AppearingTests {
    private static let origin = "http://host/x.zip"

    private func begun(_ content: String = "", total: Int64? = 5, in folder: DownloadFolder) throws -> PartialFile {
        let file = try folder.directory.partial(of: try url(Self.origin))
        try file.begin(total: total, validator: .etag("\"v1\""), encoding: nil)
        try file.append(content)
        return file
    }

    @Test func aFileThatIsWholeAtOnceHasNoOtherNameThanTheFinalOne() throws {
        let folder = try DownloadFolder()
        let file = try begun("12345", in: folder)
        try file.prepareToPublish(size: 5)
        #expect(try folder.names == [])
        #expect(try file.publish(replacing: false) == folder.path("x.zip"))
        #expect(try folder.names == ["x.zip"])
        #expect(try folder.read("x.zip") == "12345")
        let fields = try RecordField.allCases.filter { try folder.attribute($0, of: "x.zip") != nil }
        #expect(fields == [.origin, .total, .validator])
        #expect(try folder.directory.finishedFile(of: try url(Self.origin), naming: .derived)?.size == 5)
    }

    /// What does not fit into an inode is then written once.
    @Test func theOriginIsWrittenAfterTheShortFields() throws {
        let written = Locked<[String]>([])
        let folder = try DownloadFolder { platform in
            platform.attributes = {
                CheckedAttributes($0) { (name, _) throws(ExtendedAttributeError) in
                    written.withLock { $0.append(name) }
                }
            }
        }
        try begun("12345", in: folder).finish()
        let fields: [RecordField] = [.total, .validator, .origin]
        #expect(written.withLock { $0 } == fields.map(\.rawValue))
    }

    @Test func aBodyOfUnknownLengthIsWholeWithItsLastBytes() throws {
        let folder = try DownloadFolder()
        let file = try begun(total: nil, in: folder)
        _ = try Array("12345".utf8).withUnsafeBytes { try file.write($0, at: 0, isLast: true) }
        #expect(try folder.names == [])
        try file.finish()
        #expect(try folder.directory.finishedFile(of: try url(Self.origin), naming: .derived)?.size == 5)
    }

    /// As when the connection breaks, or a block is full.
    @Test(arguments: [5, nil] as [Int64?])
    func aFileThatIsNotWholeGetsItsPartialNameWithItsFirstBytes(total: Int64?) throws {
        let folder = try DownloadFolder()
        let file = try begun(total: total, in: folder)
        #expect(try folder.names == [])
        try file.append("123")
        #expect(try folder.names == ["x.zip.part"])
        let error = #expect(throws: FileSystemError.self) {
            try folder.seen().partial(of: try url(Self.origin))
        }
        #expect(error?.kind == .inUse)
        file.close()
        let again = try folder.seen().partial(of: try url(Self.origin))
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
            return try seen.partial(of: try url(Self.origin))
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
        #expect(try folder.seen().partial(of: try url(Self.origin)).held.length == 5)
    }

    /// Its download was finished in that instant.
    @Test func aPartialNameThatIsFreeAgainIsTaken() throws {
        let isFirst = Locked(true)
        let folder = try DownloadFolder { platform in
            platform.linkUnnamed = { file, folder, name in
                let fails = isFirst.withLock { isFirst in
                    defer { isFirst = false }
                    return isFirst
                }
                return fails ? failing(EEXIST) : Platform.native.linkUnnamed(file, folder, name)
            }
        }
        let file = try begun(total: 9, in: folder)
        try file.append("123")
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

    @Test func aFileOfADeletedDownloadGetsNoName() throws {
        let folder = try DownloadFolder()
        let file = try begun(in: folder)
        file.forgoName()
        try file.append("123")
        #expect(!file.keep())
        try file.append("45")
        #expect(throws: FileSystemError.self) { try file.finish() }
        try file.delete()
        #expect(try folder.names == [])
    }

    @Test func aPartOfADeletedDownloadGetsNoFinalName() throws {
        let folder = try DownloadFolder()
        let file = try begun(in: folder)
        try file.append("123")
        #expect(file.keep())
        file.forgoName()
        try file.append("45")
        #expect(throws: FileSystemError.self) { try file.finish() }
        try file.delete()
        #expect(try folder.names == [])
    }

    @Test(arguments: [
        ("another process has this file, and is writing it", true), ("a stranger has the name", false),
    ])
    func aPartialNameThatIsTakenMeanwhileIsLeftToItsOwner(what: String, isOwn: Bool) throws {
        let folder = try DownloadFolder()
        let file = try begun(in: folder)
        let other = isOwn ? try folder.seen().begun(try url(Self.origin), "12") : nil
        if !isOwn { try folder.write("12", to: "x.zip.part") }
        let before = try folder.names
        if isOwn {
            let error = #expect(throws: FileSystemError.self) { try file.append("123") }
            #expect(error?.kind == .inUse, "\(what)")
            #expect(!file.keep())
            file.close()
            #expect(try folder.names == before)
        } else {
            try file.append("123")
            let name = "x.zip.\(URLHash(try url(Self.origin)).digits8).part"
            #expect(file.location.partialName == name)
            #expect(try folder.names == [name, "x.zip.part"].sorted())
            try file.append("45")
            try file.finish()
            #expect(try folder.names == ["x.zip", "x.zip.part"])
        }
        #expect(try folder.read("x.zip.part") == "12")
        withExtendedLifetime(other) {}
    }

    @Test(arguments: RecordKeeping.allCases)
    func aFinalNameThatAStrangerGetsMeanwhileIsLeftToHim(keeping: RecordKeeping) throws {
        let folder = try DownloadFolder(keeping)
        let origin = try url(Self.origin)
        let file = try begun("12345", in: folder)
        try folder.write("a stranger's", to: "x.zip")
        try file.prepareToPublish(size: 5)
        let error = #expect(throws: FileSystemError.self) { try file.publish(replacing: false) }
        #expect(error?.kind == .alreadyExists)
        let name = try #require(
            try folder.directory.finalName(for: origin, naming: .derived) { $0 == "x.zip" }
        )
        #expect(name == "x-\(URLHash(origin).digits8).zip")
        file.choose(finalName: name)
        try file.prepareToPublish(size: 5)
        #expect(try file.publish(replacing: false) == folder.path(name))
        #expect(try folder.read("x.zip") == "a stranger's")
        #expect(try folder.read(name) == "12345")
        #expect(try folder.directory.finishedFile(of: origin, naming: .derived)?.name == name)
        #expect(try folder.names.filter { !$0.hasPrefix(".") } == [name, "x.zip"])
        #expect(try folder.names.filter { $0.hasPrefix(".") } == (keeping == .sidecar ? [".\(name).spate"] : []))
        // A name that the caller chose has no other.
        let explicit = FileNaming.explicit(try FileName(explicit: "x.zip"))
        #expect(try folder.directory.finalName(for: origin, naming: explicit) { _ in false } == nil)
    }

    /// Two processes that fetch the same small file.
    @Test func ofTwoThatRaceForOneFileBothHaveIt() throws {
        let folder = try DownloadFolder()
        let (first, second) = (try begun("12345", in: folder), try begun("12345", in: folder))
        for file in [first, second] { #expect(try file.finish() == folder.path("x.zip")) }
        #expect(try folder.names == ["x.zip"])
        #expect(try folder.directory.finishedFile(of: try url(Self.origin), naming: .derived)?.size == 5)
    }

    @Test func whereFilesCannotBeNamedLaterTheyHaveTheirNameFromTheStart() throws {
        for whole in [false, true] {
            let syncs = Locked(0)
            let folder = try DownloadFolder { platform in
                platform.linkUnnamed = { _, _, _ in failing(EPERM) }
                platform.sync = { descriptor in
                    syncs.withLock { $0 += 1 }
                    return Platform.native.sync(descriptor)
                }
            }
            let file = try begun(total: 9, in: folder)
            #expect(try file.allowGaps())
            try file.append(whole ? "123456789" : "123")
            if !whole {
                try file.write("78", at: 6)
                #expect(try folder.read("x.zip.part") == "123\0\0\078")
                try file.write("456", at: 3)
                try file.append("9")
            }
            try file.finish()
            // The copy is synced, too.
            #expect(syncs.withLock { $0 } == (whole ? 2 : 1))
            #expect(try folder.names == ["x.zip"])
            #expect(try folder.read("x.zip") == "123456789")
            #expect(try folder.attribute(.validator, of: "x.zip") == "\"v1\"")
            let next = try folder.directory.partial(of: try url("http://host/y.zip"))
            #expect(try folder.names == ["x.zip", "y.zip.part"])
            next.close()
        }
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

    @Test(arguments: [EOPNOTSUPP, EISDIR, EINVAL, ENOENT, ENOSYS])
    func whereThereAreNoUnnamedFilesTheyHaveTheirNameFromTheStart(code: CInt) throws {
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

    @Test func aSidecarBelongsToANameFromTheStart() throws {
        let folder = try DownloadFolder(.sidecar)
        let file = try begun(in: folder)
        #expect(try folder.names == [".x.zip.part.spate", "x.zip.part"])
        file.close()
        let next = try folder.directory.partial(of: try url("http://host/y.zip"))
        #expect(try folder.names.contains("y.zip.part"))
        next.close()
    }

    @Test func aDiskThatTakesNoFileIsKnownBeforeAnythingIsFetched() throws {
        let folder = try DownloadFolder { platform in
            platform.openUnnamed = { _ in failing(ENOSPC) }
        }
        let error = #expect(throws: FileSystemError.self) { try folder.directory.partial(of: try url(Self.origin)) }
        #expect(error?.kind == .diskFull)
    }
}
