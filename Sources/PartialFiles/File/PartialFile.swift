import Glibc
package import HTTPResumption
import Locking

/// The file that a download writes to until it is whole: open, locked against everybody else, and with a record that
/// lets a later process go on where this one ends.
///
/// One thread at a time writes, cuts and publishes. `flush` may run beside that on another.
package final class PartialFile: Sendable {
    struct State {
        var stored: StoredRecord
        /// How far blocks are reserved; 0 for not at all.
        var reservedEnd: Int64 = 0
        /// Why bytes that were written may not be on the medium, and never will be.
        var syncFailure: FileSystemError?
        /// How often the file was cut: a flush that began before may not say how much is safe.
        var cuts = 0
        /// The file that was synced for its final name; nil before that.
        var prepared: FileStatus.Identity?
        /// Closed, deleted or published: nothing may be done to the file any more.
        var isClosed = false
    }

    package let place: FileLocation
    /// What was here when it was opened, and may be built on.
    package let found: HeldBytes
    let file: OpenFile
    let platform: Platform
    let largestFile: Int64
    let state: Locked<State>

    /// - Parameter length: how long the file is, now that it is open.
    init(place: FileLocation, file: OpenFile, length: Int64, stored: StoredRecord, directory: DownloadDirectory) {
        self.place = place
        found = stored.record.held(length: length)
        self.file = file
        platform = directory.platform
        largestFile = directory.largestFile
        state = Locked(State(stored: stored))
    }

    deinit {
        close()
    }

    /// What is here now and may be built on.
    package var held: HeldBytes {
        get throws(FileSystemError) {
            let length = try file.status().size
            return state.withLock { $0.stored.record.held(length: length) }
        }
    }

    /// Whether preparing and publishing take no longer than a few calls to the kernel: there is no medium to wait for.
    package var isInMemory: Bool { place.folder.isInMemory }

    /// How many bytes are on the medium, come what may.
    package var durableOffset: Int64 {
        state.withLock { $0.stored.record.durable?.offset ?? 0 }
    }

    /// Says what the bytes that follow belong to. Comes before the first of them; where others of the same entity are
    /// there already it writes only what is news.
    ///
    /// A validator that the file system has no room for is left out: the download goes on, and cannot be resumed.
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

    /// Gives back what was reserved and lets others have the file. Closing again does nothing.
    package func close() {
        state.withLock { state in
            if state.isClosed { return }
            state.isClosed = true
            // Neither can be helped should it fail, and neither does harm.
            if state.reservedEnd > 0, let size = try? file.status().size, size < state.reservedEnd {
                try? file.resize(to: size)
            }
            file.unlock()
        }
    }
}
