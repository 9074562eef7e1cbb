import Glibc
import SpateFileSystemCalls
import SpateLocking
import SpatePartialFiles
import SpateTestSupport
import Testing

@Suite(.takesTurns) struct BytesTests {
    @Test func shortAndInterruptedWritesAreContinued() throws {
        let turn = Locked(0)
        let folder = try DownloadFolder { platform in
            platform.write = { descriptor, bytes, count, offset in
                turn.withLock { $0 += 1 }
                if turn.withLock({ $0.isMultiple(of: 2) }) { return failing(EINTR) }
                return pwrite(descriptor, bytes, min(count, 3), off_t(offset))
            }
        }
        let file = try folder.directory.partial()
        try file.write("0123456789", at: 0)
        #expect(try folder.read("x.zip.part") == "0123456789" && turn.withLock { $0 } == 7)
    }

    @Test func aWriteThatWritesNothingIsAnErrorNotALoop() throws {
        let folder = try DownloadFolder { $0.write = { _, _, _, _ in 0 } }
        let file = try folder.directory.partial()
        #expect(failure { try file.write("0123456789", at: 0) }?.code == EIO)
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
        let file = try folder.directory.partial()
        try file.write("12345678", at: 0)
        for offset in [Int64(8), .max] { #expect(failure { try file.write("9", at: offset) }?.code == EFBIG) }
        #expect(failure { try file.reserve(through: 10_000_000) }?.code == EFBIG)
    }

    @Test func bytesAreComparedWithTheFile() throws {
        let folder = try DownloadFolder()
        let file = try folder.directory.partial()
        let content = TestBytes.random(count: 200_000)
        _ = try content.withUnsafeBytes { bytes in try file.write(bytes, at: 0) }
        for (start, end) in [(0, 200_000), (0, 0), (1, 65_537), (65_535, 199_999), (199_999, 200_000)] {
            #expect(try file.matches(Array(content[start..<end]), at: Int64(start)))
        }
        for index in [0, 65_535, 65_536, 199_999] {
            var other = content
            other[index] ^= 1
            #expect(try !file.matches(other, at: 0), "\(index)")
        }
        #expect(try !file.matches(content + [0], at: 0) && !file.matches([0], at: 200_000))
    }
}
