package import SpateFilePaths
package import SpateFileSystemCalls
package import SpateHTTPResumption
package import SpateHTTPSyntax
import SpateLocking
package import SpateTiming

/// The file that a download writes: open, locked against other downloads and processes, with a record that lets a later
/// process resume. A new file has no name until it needs one; see `appear()`.
///
/// Several threads may write at once, but not while one thread truncates, prepares or publishes the file. Another
/// thread may call `sync()` meanwhile.
package final class PartialFile: Sendable {
    struct State {
        var file: OpenFile
        var location: FileLocation
        var naming: Naming
        var stored: StoredRecord
        /// What is on disk. The record may list less.
        var filled: FilledRanges
        /// Bytes that other requests have received for unfilled ranges. The same bytes must be written there.
        var expected: [ExpectedBytes] = []
        /// When a sidecar may be written again for the list; nil for now.
        var nextListing: Duration?
        /// The end of the reserved blocks; 0 if none are reserved.
        var reservedEnd: Int64 = 0
        var syncFailure: FileSystemError?
        /// How often the file was truncated. A sync that began before a truncation must not move the mark.
        var cuts = 0
        /// How often two connections wrote one range at once, so that the second replaced the bytes of the first.
        var rewrites = 0
        /// Whether it was synced for its final name.
        var isPrepared = false
        /// Whether a response gave the final name.
        var hasStatedName = false
        /// The download was deleted: the file is not published.
        var isForgone = false
        /// Closed, deleted or published: nothing more may be done to the file.
        var isClosed = false

        var held: HeldBytes { stored.record.held(filled, named: location.finalName) }

        var durable: FilledRanges { stored.record.durable?.filled ?? FilledRanges() }
    }

    let directory: DownloadDirectory
    let folder: OpenFolder
    var platform: Platform { folder.platform }
    package var runtime: Runtime { folder.platform.runtime }
    let largestFile: Int64
    /// Whether it was there before, not made for this download.
    let wasPresent: Bool
    /// Whether it may replace a finished file.
    let mayReplace: Bool
    /// Whether a document chose the URL.
    let isOfDocument: Bool
    let state: Locked<State>

    /// - Parameter filled: the ranges kept when the file was opened.
    init(
        location: FileLocation,
        file: OpenFile,
        naming: Naming,
        filled: FilledRanges = FilledRanges(),
        stored: StoredRecord = StoredRecord(),
        mayReplace: Bool = false,
        isOfDocument: Bool,
        directory: DownloadDirectory
    ) {
        (self.directory, self.mayReplace, self.isOfDocument) = (directory, mayReplace, isOfDocument)
        folder = location.folder
        largestFile = directory.largestFile
        wasPresent = location.isPresent
        state = Locked(State(file: file, location: location, naming: naming, stored: stored, filled: filled), .file)
    }

    deinit {
        close()
    }

    package var location: FileLocation { state.withLock { $0.location } }

    package var finalName: FilePath { state.withLock { $0.location.finalName } }

    /// The final name that it will get if that is free.
    package var nameToCome: FilePath {
        state.withLock { $0.stored.record.name?.path ?? $0.location.finalName }
    }

    package var file: OpenFile { state.withLock { $0.file } }

    /// The size of the whole file, if it is known.
    package var total: Int64? { state.withLock { $0.stored.record.total } }

    /// The bytes that a resume could keep now.
    package var held: HeldBytes { state.withLock { $0.held } }

    /// The bytes that a resume could keep now, as this source may continue them: a mirror, or the origin. And all that
    /// is filled.
    ///
    /// - Parameters:
    ///   - hasChecksum: whether a checksum proves the whole file in the end.
    ///   - isProtected: whether the source may not replace them.
    ///   - pieces: the size of the file, if checksums of its pieces prove them.
    package func held(
        for mirror: HTTPURL?,
        hasChecksum: Bool,
        isProtected: Bool,
        inPiecesOf pieces: Int64? = nil
    ) -> (held: HeldBytes, filled: FilledRanges) {
        let source = mirror.map { URLHash($0) }
        let (held, filled, isSameSource) = state.withLock { ($0.held, $0.filled, $0.stored.record.mirror == source) }
        if let pieces { return (held.inPieces(of: pieces, isSameSource: isSameSource), filled) }
        if !isSameSource { return (held.elsewhere(hasChecksum: hasChecksum, isProtected: isProtected), filled) }
        return (isProtected ? held.protected : held, filled)
    }

    /// What a record says about the bytes, except what a resume needs.
    package struct Notes {
        package private(set) var weakTag: String?
        package private(set) var lastModified: HTTPDate?
        package private(set) var name: FileName?
        package private(set) var isJoined = false

        package static let none = Notes()
    }

    package var notes: Notes {
        state.withLock { state in
            let record = state.stored.record
            return Notes(
                weakTag: record.weakTag,
                lastModified: record.lastModified,
                name: record.name,
                isJoined: record.isJoined
            )
        }
    }

    /// The ranges on disk.
    package var filled: FilledRanges {
        state.withLock { $0.filled }
    }

    /// Whether the file system is in memory. Then syncing and publishing are quick.
    package var isInMemory: Bool { folder.isInMemory }

    /// The synced ranges.
    package var durable: FilledRanges {
        state.withLock { $0.durable }
    }

    /// How often existing bytes may have changed. Then read them again.
    package var changes: Int { state.withLock { $0.cuts + $0.rewrites } }

    /// Why a sync failed. Bytes that are not `durable` may be lost: call `keepDurable()`, which also resets this, and
    /// write the rest again.
    package var syncFailure: FileSystemError? { state.withLock { $0.syncFailure } }

    /// Records the response of the following bytes. Call this before the first of them is written. Writes only changes
    /// to disk.
    ///
    /// A validator that does not fit into the attributes is left out: the download continues, but cannot be resumed.
    ///
    /// - Parameters:
    ///   - weakTag: the weak ETag of these bytes, to check later for an update.
    ///   - lastModified: the time for the finished file.
    ///   - digest: the digest of the whole file that the server stated.
    ///   - isPage: whether it is a page for a browser.
    ///   - name: the final name that the response gave.
    ///   - isJoined: whether only checksums will prove that the bytes belong to those before.
    package func begin(
        total: Int64?,
        validator: EntityValidator?,
        encoding: String?,
        from mirror: HTTPURL? = nil,
        weakTag: String? = nil,
        lastModified: HTTPDate? = nil,
        digest: StatedDigest? = nil,
        isPage: Bool = false,
        name: FileName? = nil,
        isJoined: Bool = false
    ) throws(FileSystemError) {
        try state.withLock { state throws(FileSystemError) in
            var wanted = state.stored.record
            wanted.origin = state.location.origin.text
            wanted.total = total
            wanted.validator = validator
            wanted.mirror = mirror.map { URLHash($0) }
            wanted.isJoined = isJoined
            wanted.isOfDocument = isOfDocument
            wanted[.encoding] = encoding
            wanted.weakTag = weakTag
            wanted.lastModified = lastModified
            wanted.digest = digest
            // For most files, the name already shows it.
            let type: FileType = isPage ? .page : .other
            wanted.type = name == nil && type == FileType(ofName: state.location.finalName) ? nil : type
            wanted.name = name
            wanted.isReplacing = mayReplace
            if state.naming == .partial, wanted.durable == nil || wanted.durable?.boot != platform.boot {
                wanted.durable = DurableMark(state.durable, boot: platform.boot, isList: wanted.filled != nil)
            }
            try state.stored.update(to: wanted, of: state.file)
            // A sidecar belongs to a name.
            if state.stored.medium == .sidecar { try appear(&state) }
        }
    }

    /// Frees unused reserved blocks, and unlocks the file. A file without a name is gone then. Closing twice is
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
            if state.isPrepared, state.stored.medium == .sidecar {
                Sidecar.removePrepared(for: state.location.finalName, in: folder)
            }
            // If this fails, no harm is done.
            if state.reservedEnd > 0, let size = try? state.file.status().size, size < state.reservedEnd {
                try? state.file.resize(to: size)
            }
            state.file.unlock()
        }
    }
}
