import Glibc
package import HTTPResumption
import Locking

/// The file that a download writes to: open, locked against other downloads and processes, and with a record that lets
/// a later process resume.
///
/// One thread at a time writes, truncates and publishes. `sync(through:)` may run on another meanwhile.
package final class PartialFile: Sendable {
    struct State {
        var stored: StoredRecord
        /// The end of the reserved blocks; 0 if none are reserved.
        var reservedEnd: Int64 = 0
        var syncFailure: FileSystemError?
        /// How often the file was truncated. A sync that began before a truncation must not move the mark.
        var cuts = 0
        /// The file that was synced for its final name; nil before that.
        var prepared: FileStatus.Identity?
        /// Closed, deleted or published: nothing may be done to the file any more.
        var isClosed = false
    }

    package let location: FileLocation
    /// The bytes that could be kept when the file was opened.
    package let found: HeldBytes
    package let file: OpenFile
    let platform: Platform
    let largestFile: Int64
    let state: Locked<State>

    /// - Parameter length: the length of the file, now that it is open.
    init(location: FileLocation, file: OpenFile, length: Int64, stored: StoredRecord, directory: DownloadDirectory) {
        self.location = location
        found = stored.record.held(length: length)
        self.file = file
        platform = directory.platform
        largestFile = directory.largestFile
        state = Locked(State(stored: stored))
    }

    deinit {
        close()
    }

    /// The bytes that a resume could keep now.
    package var held: HeldBytes {
        get throws(FileSystemError) {
            let length = try file.status().size
            return state.withLock { $0.stored.record.held(length: length) }
        }
    }

    /// Whether the file is on a file system in memory: then syncing and publishing are quick.
    package var isInMemory: Bool { location.folder.isInMemory }

    /// The number of bytes that were synced.
    package var durableOffset: Int64 {
        state.withLock { $0.stored.record.durable?.offset ?? 0 }
    }

    /// Why a sync failed. The bytes past `durableOffset` may be lost then: `truncate(to:)` that offset or less, which
    /// also resets this, and write them again.
    package var syncFailure: FileSystemError? { state.withLock { $0.syncFailure } }

    /// Records what the bytes that follow belong to. Call it before the first of them is written. Only changes are
    /// written to disk.
    ///
    /// A validator that does not fit into the attributes is left out: the download goes on, but cannot be resumed.
    package func begin(
        total: Int64?,
        validator: EntityValidator?,
        encoding: String?
    ) throws(FileSystemError) {
        try state.withLock { state throws(FileSystemError) in
            var wanted = state.stored.record
            wanted.total = total
            wanted.validator = validator
            wanted[.encoding] = encoding
            if wanted.durable == nil || wanted.durable?.boot != platform.boot {
                wanted.durable = DurableMark(offset: wanted.durable?.offset ?? 0, boot: platform.boot)
            }
            try state.stored.update(to: wanted, of: file, on: platform)
        }
    }

    /// Frees the reserved blocks that were not used, and unlocks the file. Closing twice is harmless.
    package func close() {
        state.withLock { state in
            if state.isClosed { return }
            state.isClosed = true
            if state.prepared != nil, state.stored.medium == .sidecar {
                Sidecar.removePrepared(for: location.finalName, in: location.folder)
            }
            // If this fails, nothing can be done about it, and no harm is done.
            if state.reservedEnd > 0, let size = try? file.status().size, size < state.reservedEnd {
                try? file.resize(to: size)
            }
            file.unlock()
        }
    }
}
