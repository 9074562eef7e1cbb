import Glibc
import HTTPResumption
import Locking
import PartialFiles
import TestSupport
import Testing

@Suite(.takesTurns) struct BytesTests {
    private static let origin = "http://host/x.zip"

    @Test func shortAndInterruptedWritesAreContinued() throws {
        let turn = Locked(0)
        let folder = try DownloadFolder { platform in
            platform.write = { descriptor, bytes, count, offset in
                let number = turn.withLock { turn in
                    turn += 1
                    return turn
                }
                if number % 2 == 0 {
                    errno = EINTR
                    return -1
                }
                return pwrite(descriptor, bytes, min(count, 3), off_t(offset))
            }
        }
        let file = try folder.directory.partial(of: try url(Self.origin))
        try file.write("0123456789", at: 0)
        #expect(try folder.read("x.zip.part") == "0123456789")
        #expect(turn.withLock { $0 } == 7)
    }

    @Test func aWriteThatWritesNothingIsAnErrorNotALoop() throws {
        let folder = try DownloadFolder { platform in platform.write = { _, _, _, _ in 0 } }
        let file = try folder.directory.partial(of: try url(Self.origin))
        let error = #expect(throws: FileSystemError.self) { try file.write("0123456789", at: 0) }
        #expect(error?.code == EIO)
    }

    @Test(arguments: [ENOSPC, EDQUOT, EFBIG])
    func aFullDiskKeepsTheBytesThatWereWritten(code: CInt) throws {
        let isFull = Locked(false)
        let folder = try DownloadFolder { platform in
            platform.write = { descriptor, bytes, count, offset in
                if isFull.withLock({ $0 }) {
                    errno = code
                    return -1
                }
                return pwrite(descriptor, bytes, count, off_t(offset))
            }
        }
        let origin = try url(Self.origin)
        let file = try folder.directory.begun(origin, "12345")
        isFull.withLock { $0 = true }
        let error = #expect(throws: FileSystemError.self) { try file.append("67890") }
        #expect(error?.kind == .diskFull)
        #expect(error?.operation == .write)
        file.close()
        #expect(try folder.directory.partial(of: origin).held.length == 5)
    }

    /// The kernel would raise a signal that kills the process.
    @Test func nothingIsWrittenBeyondTheSizeLimit() throws {
        let folder = try DownloadFolder { platform in
            platform.largestFile = { 8 }
            platform.write = { descriptor, bytes, count, offset in
                #expect(offset + Int64(count) <= 8)
                return pwrite(descriptor, bytes, count, off_t(offset))
            }
        }
        let file = try folder.directory.partial(of: try url(Self.origin))
        try file.write("12345678", at: 0)
        for offset in [Int64(8), .max] {
            let error = #expect(throws: FileSystemError.self) { try file.write("9", at: offset) }
            #expect(error?.code == EFBIG)
        }
        let error = #expect(throws: FileSystemError.self) { try file.reserve(through: 10_000_000) }
        #expect(error?.code == EFBIG)
    }

    @Test func bytesAreComparedWithTheFile() throws {
        let folder = try DownloadFolder()
        let file = try folder.directory.partial(of: try url(Self.origin))
        let content = TestBytes.random(count: 200_000)
        _ = try content.withUnsafeBytes { bytes in try file.write(bytes, at: 0) }
        for (start, end) in [(0, 200_000), (0, 0), (1, 65_537), (65_535, 199_999), (199_999, 200_000)] {
            #expect(try file.matches(Array(content[start..<end]), at: Int64(start)))
        }
        var other = content
        for index in [0, 65_535, 65_536, 199_999] {
            other[index] ^= 1
            #expect(try !file.matches(other, at: 0), "\(index)")
            other[index] ^= 1
        }
        #expect(try !file.matches(content + [0], at: 0))
        #expect(try !file.matches([0], at: 200_000))
    }

    @Test(arguments: RecordKeeping.allCases)
    func truncatingLowersTheMark(keeping: RecordKeeping) throws {
        let folder = try DownloadFolder(keeping)
        let origin = try url(Self.origin)
        let file = try folder.directory.begun(origin, "12345678")
        try file.sync()
        try file.truncate(to: 3)
        #expect(file.durable.front == 3)
        try file.append("45")
        #expect(try folder.read("x.zip.part") == "12345")
        file.close()
        let later = folder.seen(keeping) { $0.boot = RecordKeeping.otherBoot }
        #expect(try later.partial(of: origin).held.length == 3)
    }

    @Test func aFileIsClosedOnceAndAtTheLatestWithItsLastReference() throws {
        let folder = try DownloadFolder(.namedFiles)
        let origin = try url(Self.origin)
        do {
            let file = try folder.directory.partial(of: origin)
            file.close()
            file.close()
            let again = try folder.directory.partial(of: origin)
            // It must not unlock its successor.
            file.close()
            #expect(throws: FileSystemError.self) { try folder.seen(.namedFiles).partial(of: origin) }
            _ = again.location
        }
        #expect(throws: Never.self) { try folder.seen(.namedFiles).partial(of: origin) }
    }
}
