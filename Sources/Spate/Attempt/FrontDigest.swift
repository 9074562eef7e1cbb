import Dispatch
import SpateFileSystemCalls
import SpateHTTPResumption
import SpateHTTPSyntax
import SpateLocking
import SpatePartialFiles
import SpateTiming

/// The checksum of a file that is being fetched. Its own queue reads the bytes that have arrived in order behind the
/// writers, while they are still in memory. So little is left to read at the end.
final class FrontDigest: Sendable {
    private struct Reading {
        var digest: (any Digest)?
        /// How much of the file the digest covers.
        var done: Int64 = 0
        /// The file's change count when the digest began.
        var changes: Int
    }

    private struct Plan {
        var isUnderWay = false
        var done: Int64 = 0
    }

    private let algorithm: Checksum.Algorithm
    private let library: DigestLibrary
    private let file: PartialFile
    private let queue: SerialQueue
    /// Held while bytes are read. Only the queue takes it.
    private let reading: Locked<Reading>
    private let plan = Locked(Plan())

    /// Fewer bytes are left for later.
    private static let leastRead: Int64 = 4 << 20

    init(_ algorithm: Checksum.Algorithm, by library: DigestLibrary, of file: PartialFile) {
        (self.algorithm, self.library, self.file) = (algorithm, library, file)
        queue = file.runtime.makeQueue("spate.checksum")
        reading = Locked(Reading(digest: library.digest(algorithm), changes: file.changes), .digest)
    }

    /// How much of the file has been read.
    var readCount: Int64 { plan.withLock { $0.done } }

    /// The file has everything before `front`. Quick: writers may call it.
    func advance(to front: Int64) {
        let begins = plan.withLock { plan in
            if plan.isUnderWay || (0..<Self.leastRead).contains(front - plan.done) { return false }
            plan.isUnderWay = true
            return true
        }
        guard begins else { return }
        queue.async { [self] in
            // An unreadable file is reported at the end.
            _ = try? read(upTo: file.filled.front) { true }
            plan.withLock { $0.isUnderWay = false }
        }
    }

    /// Reads the rest of the complete file. `nil` if `goesOn` became false, or if there is no such digest.
    func finish(
        size: Int64,
        while goesOn: @escaping @Sendable () -> Bool,
        _ completion: @escaping @Sendable (Result<Checksum?, FileSystemError>) -> Void
    ) {
        queue.async { [self] in
            completion(
                Result { () throws(FileSystemError) in
                    guard try read(upTo: size, while: goesOn) else { return nil }
                    return reading.withLock { $0.digest?.finish() }.flatMap { Checksum(algorithm, digest: $0) }
                }
            )
        }
    }

    private func read(upTo end: Int64, while goesOn: () -> Bool) throws(FileSystemError) -> Bool {
        try reading.withLock { reading throws(FileSystemError) in
            if reading.changes != file.changes { startOver(&reading) }
            do throws(FileSystemError) {
                guard end > reading.done, var digest = reading.digest else { return true }
                let isRead = try digest.read(file.file, reading.done..<end, while: goesOn)
                reading.digest = digest
                reading.done = end
                // The file was truncated and written again during the reading.
                if !isRead || reading.changes != file.changes { startOver(&reading) }
                plan.withLock { $0.done = reading.done }
                return isRead
            } catch {
                startOver(&reading)
                throw error
            }
        }
    }

    private func startOver(_ reading: inout Reading) {
        reading = Reading(digest: library.digest(algorithm), changes: file.changes)
        plan.withLock { $0.done = 0 }
    }
}
