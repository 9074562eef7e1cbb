import Foundation
import SpateExtendedAttributes
import SpateFilePaths
import SpateFileSystemCalls
import SpateHTTPResumption
import SpateHTTPSyntax
import SpateLocking
import SpatePartialFiles
import SpateTestSupport
import Testing

/// What others may do between the search for a name and the moment when the file is open, locked and signed.
@Suite(.takesTurns) struct OpeningRaceTests {
    private static let own = [RecordField.origin: origin.text, .total: "9", .durable: "0 \(GappedFile.boot)"]

    private func hashed(_ prefix: String, _ suffix: String) -> String { prefix + URLHash(origin).digits8 + suffix }

    /// A partial file, or as another download of the process does that ends after the search and before the name is asked
    /// for, a finished one. With a stranger's file at the variant of the name, the quick look for an unused name does not
    /// suffice.
    @Test(arguments: ["x.zip.part", "x.zip"], [true, false])
    func aNameThatAStrangerTakesIsNotUsed(name: String, isQuick: Bool) throws {
        let folder = try DownloadFolder(.namedFiles)
        if !isQuick { try folder.write("a stranger's", to: hashed("x-", ".zip")) }
        let file = try folder.directory.partial { turn in
            if turn == 1 { #expect(throws: Never.self) { try folder.write("another's", to: name) } }
        }
        #expect(![file.location.partialName, file.location.finalName].contains(FilePath(name)))
        #expect(try folder.read(name) == "another's")
        if name == "x.zip.part" { #expect(file.location.partialName.text == hashed("x.zip.", ".part")) }
    }

    @Test func aPartialFileThatGoesAwayIsMadeAgain() throws {
        let folder = try DownloadFolder(.namedFiles)
        try folder.leave("12345", in: "x.zip.part", Self.own)
        let file = try folder.directory.partial { turn in
            if turn == 1 { #expect(unlink(folder.path("x.zip.part")) == 0) }
        }
        #expect(file.held == HeldBytes.none)
        #expect(try folder.names == ["x.zip.part"])
    }

    @Test func aLinkThatTakesTheNameIsNotFollowed() throws {
        let folder = try DownloadFolder(.namedFiles)
        try folder.leave("12345", in: "x.zip.part", Self.own)
        try folder.write("a stranger's", to: "victim")
        let error = failure {
            try folder.directory.partial { turn in
                guard turn == 1 else { return }
                #expect(unlink(folder.path("x.zip.part")) == 0)
                #expect(symlink("victim", folder.path("x.zip.part")) == 0)
            }
        }
        #expect(error?.kind == .notRegularFile)
        #expect(try folder.read("victim") == "a stranger's")
    }

    /// Makes a blank partial file, locked as by a download that has not signed it yet.
    private func lockedBlank(in folder: DownloadFolder) -> CInt {
        let descriptor = open(folder.path("x.zip.part"), O_RDWR | O_CREAT | O_CLOEXEC, 0o644)
        #expect(flock(descriptor, LOCK_EX) == 0)
        return descriptor
    }

    @Test func aFileThatItsMakerHasNotSignedYetIsWaitedFor() throws {
        let folder = try DownloadFolder(.namedFiles)
        let descriptor = lockedBlank(in: folder)
        defer { close(descriptor) }
        let file = try folder.directory.partial { turn in
            guard turn == 1 else { return }
            #expect(throws: Never.self) {
                try folder.withAttributes(of: "x.zip.part") { attributes in
                    try attributes.set(RecordField.origin.rawValue, to: "http://other/x.zip")
                }
            }
        }
        #expect(file.location.finalName.text == hashed("x-", ".zip"))
    }

    /// A listing holds the lock, shared, for an instant; on a busy machine that instant is as long as a time slice.
    @Test func aFileThatSomebodyOnlyLooksAtIsWaitedFor() throws {
        let folder = try DownloadFolder(.namedFiles)
        try folder.leave("12345", in: "x.zip.part", Self.own)
        let descriptor = open(folder.path("x.zip.part"), O_RDONLY | O_CLOEXEC)
        #expect(flock(descriptor, LOCK_SH) == 0)
        Thread.detachNewThread {
            usleep(50_000)
            close(descriptor)
        }
        #expect(try folder.directory.partial().held.length == 5)
    }

    enum Fate: CaseIterable {
        case published, deleted
    }

    /// What a download does to our file if it locks the file first.
    private static func meet(_ fate: Fate, in folder: DownloadFolder) {
        let path = folder.path("x.zip.part")
        _ = fate == .deleted ? unlink(path) : rename(path, folder.path("published"))
    }

    @Test(arguments: Fate.allCases)
    func aFileThatLosesItsNameWhileItIsWaitedForIsLeftAlone(fate: Fate) throws {
        let folder = try DownloadFolder(.namedFiles)
        let descriptor = lockedBlank(in: folder)
        defer { close(descriptor) }
        let due = Locked<CInt?>(nil)
        let other = folder.seen(.namedFiles) { platform in
            platform.attributes = { asked in
                if let descriptor = due.withLock({ $0.take() }) {
                    Self.meet(fate, in: folder)
                    flock(descriptor, LOCK_UN)
                }
                return Platform.native.attributes(asked)
            }
        }
        let file = try other.partial { turn in
            if turn == 1 { due.withLock { $0 = descriptor } }
        }
        try file.append("12345")
        #expect(try folder.read("x.zip.part") == "12345")
        if fate == .published { #expect(try folder.attribute(.origin, of: "published") == nil) }
    }

    /// Another download signs it first, or, where there are no attributes, takes it.
    @Test(arguments: [RecordKeeping.namedFiles, .sidecar], Fate.allCases)
    func aFileThatAnotherDownloadHadFirstIsLeftAlone(keeping: RecordKeeping, fate: Fate) throws {
        let folder = try DownloadFolder(keeping)
        let other = folder.seen(keeping) { platform in
            platform.openUnnamed = { _ in failing(EOPNOTSUPP) }
            platform.attributes = { asked in
                let attributes = ExtendedAttributes(descriptor: asked)
                if keeping != .sidecar { try? attributes.set(RecordField.origin.rawValue, to: "http://other/x.zip") }
                Self.meet(fate, in: folder)
                return keeping == .sidecar ? NoAttributes() : attributes
            }
        }
        #expect(failure { try other.partial() }?.kind == .changed)
        #expect(try folder.names == (fate == .published ? ["published"] : []))
        if fate == .published, keeping != .sidecar {
            #expect(try folder.attribute(.origin, of: "published") == "http://other/x.zip")
        }
    }

    /// Else the download that made the file would take it for untouched: its own URL may fit into an attribute.
    @Test func aBlankFileIsSignedEvenIfItsRecordGoesIntoASidecar() throws {
        let folder = try DownloadFolder(.namedFiles)
        try folder.write("", to: "x.zip.part")
        let long = try url("http://host/x.zip?" + String(repeating: "a", count: 5_000))
        let other = folder.seen(.namedFiles) { $0.attributes = { CheckedAttributes($0, limit: 1_000) } }
        let file = try other.partial(of: long)
        #expect(try folder.names == [".x.zip.part.spate", "x.zip.part"])
        let isAdded = try folder.withAttributes(of: "x.zip.part") { attributes in
            try attributes.add(RecordField.origin.rawValue, origin.text)
        }
        #expect(!isAdded)
        // The signature is not a record.
        try file.begin(total: 5, validator: nil, encoding: nil)
        try file.append("123")
        file.close()
        #expect(try other.partial(of: long).held.length == 3)
    }

    @Test func aPartialFileIsFoundEvenThoughMakingItIsTriedFirst() throws {
        let folder = try DownloadFolder(.namedFiles)
        try folder.leave("123", in: "x.zip.part", Self.own)
        let file = try folder.directory.partial()
        #expect(file.held == HeldBytes(length: 3, total: 9))
        file.close()
        // Of two, the one with the plain name wins.
        let second = hashed("x.zip.", ".part")
        try folder.leave("12345", in: second, Self.own)
        #expect(try folder.directory.partial().location.partialName == "x.zip.part")
        #expect(unlink(folder.path("x.zip.part")) == 0)
        #expect(try folder.directory.partial().location.partialName.text == second)
    }
}
