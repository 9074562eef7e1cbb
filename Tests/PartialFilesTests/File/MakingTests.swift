import ExtendedAttributes
import Glibc
import HTTPResumption
import Locking
import PartialFiles
import TestSupport
import Testing

/// On a disk, a new file is made when its bytes are there, but for the first of a folder.
@Suite struct MakingTests {
    private static let origin = "http://host/x.zip"

    /// A folder that has had its first new file, and how many were made since.
    private struct Folder {
        let folder: DownloadFolder
        private let made = Locked(0)
        private let failure = Locked<CInt?>(nil)

        init(isInMemory: Bool = false, attributesFail: Bool = false) throws {
            folder = try DownloadFolder(.laterFiles) { [made, failure] platform in
                platform.isInMemory = { _ in isInMemory }
                platform.openUnnamed = { folder in
                    if let code = failure.withLock({ $0 }) { return failing(code) }
                    made.withLock { $0 += 1 }
                    return Platform.native.openUnnamed(folder)
                }
                if attributesFail { platform.attributes = { _ in NoAttributes() } }
            }
            made.withLock { $0 = 0 }
        }

        var madeCount: Int { made.withLock { $0 } }

        func fail(with code: CInt?) { failure.withLock { $0 = code } }

        func begun(total: Int64? = 5) throws -> PartialFile {
            let file = try folder.directory.partial(of: try url(MakingTests.origin))
            try file.begin(total: total, validator: .etag("\"v1\""), encoding: nil)
            return file
        }
    }

    @Test func aBodyThatComesWholeIsWrittenByWhoSyncsIt() throws {
        let folder = try Folder()
        let file = try folder.begun()
        try file.append("12345")
        #expect(folder.madeCount == 0)
        #expect(file.held == HeldBytes(length: 5, total: 5, validator: .etag("\"v1\"")))
        try file.prepareToPublish(size: 5)
        #expect(folder.madeCount == 1)
        _ = try file.publish(replacing: false)
        #expect(try folder.folder.read("x.zip") == "12345")
        #expect(try folder.folder.attribute(.validator, of: "x.zip") == "\"v1\"")
        #expect(folder.madeCount == 1)
    }

    @Test func aFileWithoutBytesIsWrittenByWhoSyncsIt() throws {
        let folder = try Folder()
        let file = try folder.begun(total: 0)
        #expect(folder.madeCount == 0)
        try file.finish()
        #expect(try folder.folder.read("x.zip") == "")
        #expect(try folder.folder.names == ["x.zip"])
    }

    @Test func aBodyThatComesInPiecesIsWrittenAsItComes() throws {
        let folder = try Folder()
        let file = try folder.begun()
        try file.append("123")
        #expect(folder.madeCount == 1)
        #expect(try folder.folder.names == ["x.zip.part"])
        try file.append("45")
        try file.finish()
        #expect(try folder.folder.read("x.zip") == "12345")
        #expect(folder.madeCount == 1)
    }

    @Test func inMemoryAFileIsMadeAtOnce() throws {
        let folder = try Folder(isInMemory: true)
        let file = try folder.begun()
        #expect(folder.madeCount == 1)
        try file.append("12345")
        try file.finish()
        #expect(folder.madeCount == 1)
    }

    @Test func bytesInMemoryCanBeRead() throws {
        let folder = try Folder()
        let file = try folder.begun()
        try file.append("12345")
        #expect(try file.matches(Array("234".utf8), at: 1))
        #expect(try !file.matches(Array("235".utf8), at: 1))
        #expect(folder.madeCount == 1)
        try file.finish()
        #expect(try folder.folder.read("x.zip") == "12345")
    }

    @Test(arguments: [0, 2, 5])
    func bytesInMemoryCanBeCut(size: Int64) throws {
        let folder = try Folder()
        let file = try folder.begun()
        try file.append("12345")
        try file.truncate(to: size)
        #expect(file.held.length == size && file.cuts == 1)
        try file.append(String("abcde".dropFirst(Int(size))))
        try file.finish()
        let kept = String("12345".prefix(Int(size)))
        #expect(try folder.folder.read("x.zip") == kept + "abcde".dropFirst(Int(size)))
    }

    @Test func aFileOfSeveralConnectionsIsMadeFirst() throws {
        let folder = try Folder()
        let file = try folder.begun()
        #expect(try file.allowGaps())
        try file.write("45", at: 3)
        try file.write("123", at: 0)
        try file.finish()
        #expect(try folder.folder.read("x.zip") == "12345")
    }

    @Test func whereItTurnsOutThatThereAreNoAttributesItHasASidecar() throws {
        let folder = try Folder(attributesFail: true)
        let file = try folder.begun()
        try file.append("12345")
        #expect(try folder.folder.names == [])
        try file.finish()
        #expect(try folder.folder.names == [".x.zip.spate", "x.zip"])
        let found = try folder.folder.directory.finishedFile(of: try url(Self.origin), naming: .derived)
        #expect(found?.size == 5)
    }

    /// It is known late, but nothing is lost but what has to be fetched again.
    @Test(arguments: [(ENOSPC, FileSystemError.Kind.diskFull), (EACCES, .permissionDenied), (EOPNOTSUPP, .other)])
    func aFileThatCannotBeMadeFailsWithItsReason(code: CInt, kind: FileSystemError.Kind) throws {
        let folder = try Folder()
        let file = try folder.begun()
        try file.append("12345")
        folder.fail(with: code)
        let error = #expect(throws: FileSystemError.self) { try file.prepareToPublish(size: 5) }
        #expect(error?.kind == kind && error?.operation == .create)
        #expect(!file.keep())
        // There is room again.
        folder.fail(with: nil)
        #expect(file.keep())
        file.close()
        #expect(try folder.folder.names == ["x.zip.part"])
        #expect(try folder.folder.seen().partial(of: try url(Self.origin)).held.length == 5)
    }
}
