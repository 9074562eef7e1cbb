import CSpateSystem
import Glibc
import SpateExtendedAttributes
import SpateFilePaths
import SpateFileSystemCalls
import SpateHTTPResumption
import SpateHTTPSyntax
import SpateLocking
import SpatePartialFiles
import SpateTestSupport
import Testing

/// What is known of a folder is right, whoever changes it.
@Suite struct KnownFolderTests {
    /// How a folder is watched.
    enum Watching: CaseIterable, Sendable {
        case inotify
        /// There are no watches left: the folder's time is all there is.
        case none
        /// Another machine may change it.
        case remote
    }

    /// Counts how often the folder is read as a whole.
    private let readings = Locked(0)

    private func folder(
        _ watching: Watching = .inotify,
        _ keeping: RecordKeeping = .attributes
    ) throws -> DownloadFolder {
        try DownloadFolder(keeping) { platform in
            let watch = platform.watch
            platform.watch = { [readings] descriptor in
                readings.withLock { $0 += 1 }
                return watching == .none ? failing(EMFILE) : watch(descriptor)
            }
            let volume = platform.volume
            guard watching == .remote else { return }
            platform.volume = { descriptor, found in
                let result = volume(descriptor, found)
                found.pointee.kind = UInt(NFS_SUPER_MAGIC)
                return result
            }
        }
    }

    @Test(arguments: Watching.allCases, RecordKeeping.allCases)
    func whatOthersDoIsSeen(watching: Watching, keeping: RecordKeeping) throws {
        let folder = try folder(watching, keeping)
        let directory = folder.directory
        try folder.write("a stranger's", to: "mine")
        #expect(try directory.finalFile(of: origin) == nil)
        let other = folder.seen(keeping)
        try other.fetch("12345", naming: .named("first"))
        #expect(try directory.finalFile(of: origin)?.name == "first")
        // A sidecar does not go with it.
        if keeping != .sidecar {
            #expect(rename(folder.path("first"), folder.path("second")) == 0)
            #expect(try directory.finalFile(of: origin)?.name == "second")
        }
        let partial = try other.begun(try url("http://host/y.zip"), "1", naming: .named("third"))
        partial.close()
        #expect(try directory.deleteAll(of: [origin, try url("http://host/y.zip")]) == [:])
        #expect(try folder.names == ["mine"])
        #expect(try directory.finalFile(of: origin) == nil)
    }

    /// As a program does that copies a file, and then its attributes.
    @Test func aFileThatGetsItsAttributesLaterIsFound() throws {
        let folder = try folder()
        #expect(try folder.directory.finalFile(of: origin) == nil)
        try folder.write("12345", to: "copy")
        #expect(try folder.directory.finalFile(of: origin) == nil)
        try folder.withAttributes(of: "copy") { attributes in
            try attributes.set(RecordField.total.rawValue, to: "5")
            try attributes.set(RecordField.origin.rawValue, to: origin.text)
        }
        #expect(try folder.directory.finalFile(of: origin)?.name == "copy")
        #expect(readings.withLock { $0 } == 1)
    }

    @Test func aWatchedFolderIsReadOnce() throws {
        let folder = try folder()
        let other = folder.seen()
        for number in 0..<300 {
            let origin = try url("http://host/\(number)")
            try (number % 2 == 0 ? folder.directory : other).fetch(origin, "12345", naming: .named("named-\(number)"))
            if number % 3 == 0 { #expect(try folder.directory.deleteAll(of: [origin]) == [:]) }
            #expect(try (folder.directory.finalFile(of: origin) == nil) == (number % 3 == 0))
        }
        #expect(try folder.names.count == 200)
        #expect(readings.withLock { $0 } == 1)
    }

    @Test func aFolderThatAnotherMachineMayChangeIsReadEachTime() throws {
        let folder = try folder(.remote)
        for _ in 0..<3 { #expect(try folder.directory.finalFile(of: origin) == nil) }
        #expect(readings.withLock { $0 } == 3)
    }

    @Test func theTimeOfAFolderIsBelievedWhenItIsOldEnough() throws {
        let folder = try folder(.none)
        func setTime(_ seconds: Int) {
            var times = [timespec(tv_sec: seconds, tv_nsec: 5), timespec(tv_sec: seconds, tv_nsec: 5)]
            #expect(utimensat(AT_FDCWD, folder.path, &times, 0) == 0)
        }
        func look() throws -> (name: FilePath?, readings: Int) {
            readings.withLock { $0 = 0 }
            return (try folder.directory.finalFile(of: origin)?.name, readings.withLock { $0 })
        }
        // In the future, and so never old.
        setTime(4_000_000_000)
        for _ in 0..<2 { #expect(try look() == (nil, 1)) }
        setTime(1_000_000)
        for count in [1, 0] { #expect(try look() == (nil, count)) }
        try folder.seen().fetch("12345", naming: .named("named"))
        #expect(try look() == ("named", 1))
    }

    /// More has changed than the kernel keeps, or the folder is gone.
    @Test(arguments: [IN_Q_OVERFLOW, IN_IGNORED, IN_UNMOUNT])
    func aFolderOfWhichChangesAreMissingIsReadAgain(mask: Int32) throws {
        let writing = Locked<CInt>(-1)
        let count = readings
        let folder = try DownloadFolder { platform in
            platform.watch = { _ in
                count.withLock { $0 += 1 }
                var ends: [CInt] = [0, 0]
                guard pipe(&ends) == 0, fcntl(ends[0], F_SETFL, O_NONBLOCK) == 0 else { return -1 }
                writing.withLock { old in
                    if old >= 0 { close(old) }
                    old = ends[1]
                }
                return ends[0]
            }
        }
        defer { writing.withLock { _ = close($0) } }
        for _ in 0..<2 { #expect(try folder.directory.finalFile(of: origin) == nil) }
        #expect(count.withLock { $0 } == 1)
        try folder.seen().fetch("12345", naming: .named("named"))
        var event = inotify_event()
        (event.wd, event.mask) = (-1, UInt32(mask))
        let size = MemoryLayout<inotify_event>.size
        #expect(writing.withLock { write($0, &event, size) } == size)
        #expect(try folder.directory.finalFile(of: origin)?.name == "named")
        #expect(count.withLock { $0 } == 2)
    }

    /// The file itself says whose it is.
    @Test(arguments: [false, true])
    func aFileThatTookTheNameUnseenIsNotDeletedAndTheRightOneIs(isStranger: Bool) throws {
        let folder = try folder(.none)
        var times = [timespec(tv_sec: 1_000_000, tv_nsec: 5), timespec(tv_sec: 1_000_000, tv_nsec: 5)]
        try folder.directory.fetch("12345", naming: .named("named"))
        #expect(utimensat(AT_FDCWD, folder.path, &times, 0) == 0)
        #expect(try folder.directory.finalFile(of: origin)?.name == "named")
        #expect(rename(folder.path("named"), folder.path("moved")) == 0)
        if isStranger {
            try folder.write("54321", to: "named")
        } else {
            try folder.seen().fetch(try url("http://other/x.zip"), "12345", naming: .named("named"))
        }
        #expect(utimensat(AT_FDCWD, folder.path, &times, 0) == 0)
        #expect(try folder.directory.deleteAll(of: [origin]) == [:])
        #expect(try folder.names == ["named"])
    }

    @Test func anotherFolderAtThePathIsRead() throws {
        let folder = try folder()
        try folder.directory.fetch("12345", naming: .named("named"))
        #expect(try folder.directory.finalFile(of: origin) != nil)
        #expect(rename(folder.path, folder.path + ".old") == 0)
        defer {
            unlink(folder.path + ".old/named")
            rmdir(folder.path + ".old")
        }
        #expect(try folder.directory.finalFile(of: origin) == nil)
        #expect(mkdir(folder.path, 0o700) == 0)
        #expect(try folder.directory.finalFile(of: origin) == nil)
        try folder.seen().fetch("12345", naming: .named("other"))
        #expect(try folder.directory.finalFile(of: origin)?.name == "other")
    }
}
