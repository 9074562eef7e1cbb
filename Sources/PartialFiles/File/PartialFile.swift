import Glibc
package import HTTPResumption
package import HTTPSyntax
import Locking
package import Timing

/// The file that a download writes to: open, locked against other downloads and processes, and with a record that lets
/// a later process resume. A new one has no name until it needs one; see `appear()`.
///
/// Several threads may write at once. None may while the file is truncated, prepared or published, which one thread does.
/// `sync()` may run on another meanwhile.
package final class PartialFile: Sendable {
    struct State {
        var file: OpenFile
        var location: FileLocation
        var naming: Naming
        var stored: StoredRecord
        /// What is on disk. The record may list less.
        var filled: FilledRanges
        /// What other requests have brought of bytes that are not filled yet: the same must be written there.
        var expected: [ExpectedBytes] = []
        /// When a sidecar was last written for the list's sake.
        var listed: ContinuousClock.Instant?
        /// The end of the reserved blocks; 0 if none are reserved.
        var reservedEnd: Int64 = 0
        var syncFailure: FileSystemError?
        /// How often the file was truncated. A sync that began before a truncation must not move the mark.
        var cuts = 0
        /// How often two connections wrote one range at the same time, so that the second replaced the first one's bytes.
        var rewrites = 0
        /// The file that was synced for its final name; nil before that.
        var prepared: FileStatus.Identity?
        /// Its download was deleted: it is not published any more.
        var isForgone = false
        /// Closed, deleted or published: nothing may be done to the file any more.
        var isClosed = false

        var durable: FilledRanges { stored.record.durable?.filled ?? FilledRanges() }
    }

    /// The bytes that could be kept when the file was opened.
    package let found: HeldBytes
    private let foundMirror: URLHash?
    let directory: DownloadDirectory
    let folder: OpenFolder
    var platform: Platform { folder.platform }
    package var runtime: Runtime { folder.platform.runtime }
    let largestFile: Int64
    let state: Locked<State>

    /// - Parameter filled: what is kept of the file, now that it is open.
    init(
        location: FileLocation,
        file: OpenFile,
        naming: Naming,
        filled: FilledRanges = FilledRanges(),
        stored: StoredRecord = StoredRecord(),
        directory: DownloadDirectory
    ) {
        self.directory = directory
        folder = location.folder
        found = stored.record.held(filled, named: location.finalName)
        foundMirror = stored.record.mirror
        largestFile = directory.largestFile
        state = Locked(State(file: file, location: location, naming: naming, stored: stored, filled: filled), .file)
    }

    deinit {
        close()
    }

    package var location: FileLocation { state.withLock { $0.location } }

    package var file: OpenFile { state.withLock { $0.file } }

    /// The bytes that a resume could keep now.
    package var held: HeldBytes {
        state.withLock { $0.stored.record.held($0.filled, named: $0.location.finalName) }
    }

    /// The bytes that could be kept when the file was opened, as this source may continue them: a mirror, or the origin.
    ///
    /// - Parameters:
    ///   - hasChecksum: whether a checksum proves the whole file in the end.
    ///   - isProtected: whether the source may not replace them.
    package func found(for mirror: HTTPURL?, hasChecksum: Bool, isProtected: Bool) -> HeldBytes {
        if foundMirror != mirror.map({ URLHash($0) }) {
            return found.elsewhere(hasChecksum: hasChecksum, isProtected: isProtected)
        }
        return isProtected ? found.protected : found
    }

    /// What the record says of the bytes beside what a resume needs.
    package var notes: (weakTag: String?, lastModified: HTTPDate?) {
        state.withLock { ($0.stored.record.weakTag, $0.stored.record.lastModified) }
    }

    /// What is on disk now.
    package var filled: FilledRanges {
        state.withLock { $0.filled }
    }

    /// Whether the file is on a file system in memory: then syncing and publishing are quick.
    package var isInMemory: Bool { folder.isInMemory }

    /// What was synced.
    package var durable: FilledRanges {
        state.withLock { $0.durable }
    }

    /// How often bytes that were there may have become others: what was read before is read again.
    package var changes: Int { state.withLock { $0.cuts + $0.rewrites } }

    /// Why a sync failed. What is not `durable` may be lost then: `keepDurable()`, which also resets this, and write the
    /// rest again.
    package var syncFailure: FileSystemError? { state.withLock { $0.syncFailure } }

    /// Records what the bytes that follow belong to. Call it before the first of them is written. Only changes are
    /// written to disk.
    ///
    /// A validator that does not fit into the attributes is left out: the download goes on, but cannot be resumed.
    ///
    /// - Parameters:
    ///   - weakTag: the weak ETag of these bytes, to ask later whether the finished file has changed.
    ///   - lastModified: the time that the finished file is to get.
    ///   - digest: the digest of the whole file that the server has stated.
    ///   - isPage: whether it is a page for a browser.
    package func begin(
        total: Int64?,
        validator: EntityValidator?,
        encoding: String?,
        from mirror: HTTPURL? = nil,
        weakTag: String? = nil,
        lastModified: HTTPDate? = nil,
        digest: StatedDigest? = nil,
        isPage: Bool = false
    ) throws(FileSystemError) {
        try state.withLock { state throws(FileSystemError) in
            var wanted = state.stored.record
            wanted.origin = state.location.origin.text
            wanted.total = total
            wanted.validator = validator
            wanted.mirror = mirror.map { URLHash($0) }
            wanted[.encoding] = encoding
            wanted.weakTag = weakTag
            wanted.lastModified = lastModified
            wanted.digest = digest
            // The name says it of most files.
            let type: FileType = isPage ? .page : .other
            wanted.type = type == FileType(ofName: state.location.finalName) ? nil : type
            if state.naming == .partial, wanted.durable == nil || wanted.durable?.boot != platform.boot {
                wanted.durable = DurableMark(state.durable, boot: platform.boot, isList: wanted.filled != nil)
            }
            try state.stored.update(to: wanted, of: state.file)
            // A sidecar belongs to a name.
            if state.stored.medium == .sidecar { try appear(&state) }
        }
    }

    /// Frees the reserved blocks that were not used, and unlocks the file. One without a name is gone then. Closing twice is
    /// harmless.
    package func close() {
        state.withLock { state in
            if state.isClosed { return }
            guard state.naming == .partial else {
                state.isClosed = true
                return
            }
            // Attributes are up to date.
            if state.stored.medium == .sidecar { try? list(&state) }
            state.isClosed = true
            if state.prepared != nil, state.stored.medium == .sidecar {
                Sidecar.removePrepared(for: state.location.finalName, in: folder)
            }
            // If this fails, nothing can be done about it, and no harm is done.
            if state.reservedEnd > 0, let size = try? state.file.status().size, size < state.reservedEnd {
                try? state.file.resize(to: size)
            }
            state.file.unlock()
        }
    }
}
