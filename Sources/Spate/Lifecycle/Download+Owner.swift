import SpateLocking
import SpatePartialFiles

/// While a download is paused, waiting or due for a retry, its partial file names its manager, so that no other manager
/// takes the file as abandoned.
extension Download {
    /// Makes the manager the owner of the file, unless the download has ended. The closure records that.
    func claimFile(for ownership: Ownership, _ write: (FileOwner) -> Void) {
        guard let owner = ownership.owner else { return }
        let lives = core.withLock { core in
            if core.machine.hasEnded { return false }
            core.ownership = ownership
            return true
        }
        guard lives else { return }
        write(owner)
        releaseFileIfEnded()
    }

    /// The folder of its file. A manager that has gone has no folders.
    func directory(of valid: ValidRequest) -> DownloadDirectory {
        if let manager { return manager.directories.directory(valid.claim) }
        return DownloadDirectory(path: valid.claim.folder, platform: core.withLock { $0.surroundings.platform })
    }

    /// Whether its partial file has named its manager.
    var hasOwnedFile: Bool { core.withLock { $0.ownership != nil } }

    /// Nobody owns the file of a download that has ended.
    func releaseFileIfEnded() {
        releaseFile(of: core.withLock { $0.machine.hasEnded ? $0.ownership : nil })
    }

    func releaseFile(of ownership: Ownership?) {
        guard let owner = ownership?.owner, let valid else { return }
        directory(of: valid).release(valid.claim, from: owner)
    }
}
