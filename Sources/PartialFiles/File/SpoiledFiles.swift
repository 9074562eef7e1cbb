import Locking

/// The partial files of a process that could be neither cut nor removed after a failed sync.
///
/// All their bytes can be read, and the next sync succeeds, but some may never reach the disk. Only this process knows.
final class SpoiledFiles: Sendable {
    private let identities = Locked<Set<FileStatus.Identity>>([])

    func contains(_ file: FileStatus.Identity) -> Bool { identities.withLock { $0.contains(file) } }

    func insert(_ file: FileStatus.Identity) {
        identities.withLock { _ = $0.insert(file) }
    }

    /// Its bytes have been cut off.
    func remove(_ file: FileStatus.Identity) {
        identities.withLock { _ = $0.remove(file) }
    }
}
