import SpateLocking

/// The files of a process that could be neither truncated nor removed after a failed sync.
///
/// Their bytes are readable, and the next sync succeeds, but some may never reach the disk. Only this process knows.
package final class SpoiledFiles: Sendable {
    private let identities = Locked<Set<FileStatus.Identity>>([])

    package func contains(_ file: FileStatus.Identity) -> Bool { identities.withLock { $0.contains(file) } }

    package func insert(_ file: FileStatus.Identity) {
        identities.withLock { _ = $0.insert(file) }
    }

    /// The bytes of the file were dropped.
    package func remove(_ file: FileStatus.Identity) {
        identities.withLock { _ = $0.remove(file) }
    }
}
