import Glibc
import SpateFilePaths
import SpateFileSystemCalls
import SpateLocking
import SpateTestSupport
import Testing

/// Ranges that are copied from one file to another.
@Suite(.takesTurns) struct CopyTests {
    private static let content = TestBytes.random(count: 300_000)

    /// How the call that copies without us behaves; a negative result fails with that error.
    enum Call: CaseIterable {
        case native, otherFileSystem, otherKind, unknown, unaligned, refused, copiesNothing, copiesLittle, isInterrupted

        func apply(to platform: inout Platform) {
            let native = platform.copy
            let isFirst = Locked(true)
            platform.copy = { from, to, offset, length in
                switch self {
                case .native: return native(from, to, offset, length)
                case .otherFileSystem: return failing(EXDEV)
                case .otherKind: return failing(EOPNOTSUPP)
                case .unknown: return failing(ENOSYS)
                case .unaligned: return failing(EINVAL)
                case .refused: return failing(EPERM)
                case .copiesNothing: return 0
                case .copiesLittle: return native(from, to, offset, min(length, 4_000))
                case .isInterrupted:
                    let isNow = isFirst.withLock { isFirst in
                        defer { isFirst = false }
                        return isFirst
                    }
                    return isNow ? failing(EINTR) : native(from, to, offset, length)
                }
            }
        }
    }

    /// A file with `content`, and another of the same length without it.
    private func files(
        in folder: TemporaryFolder,
        _ change: (inout Platform) -> Void = { _ in }
    ) throws -> (source: OpenFile, target: OpenFile) {
        var platform = Platform.native
        change(&platform)
        let open = try OpenFolder(path: FilePath(folder.path), on: platform)
        let source = try open.open("source", O_RDWR | O_CREAT)
        let target = try open.open("target", O_RDWR | O_CREAT)
        try Self.content.withUnsafeBytes { try source.write($0, at: 0) }
        try target.resize(to: Int64(Self.content.count))
        return (source, target)
    }

    private func bytes(of file: OpenFile) throws -> [UInt8] {
        var bytes = [UInt8](repeating: 1, count: 400_000)
        let count = try bytes.withUnsafeMutableBytes { try file.read(into: $0, at: 0) }
        return Array(bytes.prefix(count))
    }

    @Test(arguments: Call.allCases)
    func onlyTheRangeIsCopied(call: Call) throws {
        let folder = try TemporaryFolder()
        let (source, target) = try files(in: folder) { call.apply(to: &$0) }
        for range in [4_096..<270_001, 280_000..<280_000, 290_001..<300_000] as [Range<Int64>] {
            #expect(try target.copy(range, from: source) == range.upperBound)
        }
        var wanted = [UInt8](repeating: 0, count: Self.content.count)
        for range in [4_096..<270_001, 290_001..<300_000] { wanted[range] = Self.content[range] }
        #expect(try bytes(of: target) == wanted)
    }

    @Test(arguments: [Call.native, .otherFileSystem])
    func aSourceThatEndsEarlierIsAnError(call: Call) throws {
        let folder = try TemporaryFolder()
        let (source, target) = try files(in: folder) { call.apply(to: &$0) }
        let error = #expect(throws: FileSystemError.self) { try target.copy(250_000..<300_001, from: source) }
        #expect(error?.operation == .read && error?.code == EIO && error?.path == source.path)
    }

    @Test func aFullDiskIsReported() throws {
        let folder = try TemporaryFolder()
        let isFull = Locked(false)
        let (source, target) = try files(in: folder) { platform in
            platform.copy = { _, _, _, _ in failing(ENOSPC) }
            platform.write = { isFull.withLock { $0 } ? failing(ENOSPC) : Platform.native.write($0, $1, $2, $3) }
        }
        isFull.withLock { $0 = true }
        let error = #expect(throws: FileSystemError.self) { try target.copy(0..<10, from: source) }
        #expect(error?.operation == .write && error?.kind == .diskFull && error?.path == target.path)
    }

    @Test(arguments: [Call.copiesLittle, .otherFileSystem])
    func aCopyCanBeStopped(call: Call) throws {
        let folder = try TemporaryFolder()
        let (source, target) = try files(in: folder) { call.apply(to: &$0) }
        var turns = 0
        let end = try target.copy(0..<300_000, from: source) {
            turns += 1
            return turns < 2
        }
        #expect((1..<300_000).contains(end))
        let copied = try bytes(of: target)
        #expect(copied.prefix(Int(end)) == Self.content.prefix(Int(end)))
        #expect(copied.dropFirst(Int(end)).allSatisfy { $0 == 0 })
    }
}

/// What a call returns that fails with this error.
private func failing<Result: SignedInteger>(_ code: CInt) -> Result {
    errno = code
    return -1
}
