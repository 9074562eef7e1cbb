import HTTPResumption
import Locking

/// A new file on a disk is made when its first bytes are written, by the thread that writes them. On ext4, making one takes as
/// long as fetching 4 KiB, so that few could be begun at a time. A small body that comes whole is kept in memory, and written
/// by the thread that syncs it: whoever receives it goes on with others.
extension PartialFile {
    enum Contents {
        /// The bytes of a file that has not been made.
        case memory([UInt8])
        case file(OpenFile)

        var file: OpenFile? { if case .file(let file) = self { file } else { nil } }

        /// `nil` where new files have a name from the start.
        init?(ofNewFileAt location: FileLocation, on platform: Platform) throws(FileSystemError) {
            // The first of a folder is made at once, so that nothing is fetched which cannot be written.
            if location.folder.makesFilesLater {
                self = .memory([])
            } else if let file = try location.folder.openUnnamed(for: location.partialName, on: platform) {
                self = .file(file)
            } else {
                return nil
            }
        }
    }

    /// The open file, made now if that has not been done.
    package func opened() throws(FileSystemError) -> OpenFile {
        try state.withLock { state throws(FileSystemError) in try made(&state) }
    }

    /// The open file. If it has not been made, it is, and gets the record and the bytes.
    func made(_ state: inout State) throws(FileSystemError) -> OpenFile {
        let bytes: [UInt8]
        switch state.contents {
        case .file(let file): return file
        case .memory(let kept): bytes = kept
        }
        let file = try folder.makeUnnamed(for: state.location.partialName, on: platform)
        var stored = StoredRecord()
        try stored.update(to: state.stored.record, of: file, on: platform)
        if !bytes.isEmpty {
            try bytes.withUnsafeBufferPointer { bytes throws(FileSystemError) in
                try file.write(UnsafeRawBufferPointer(bytes), at: 0, on: platform)
            }
        }
        (state.contents, state.stored) = (.file(file), stored)
        if stored.medium == .sidecar { try appear(&state) }
        return state.contents.file ?? file
    }

    /// Keeps the bytes in memory, if they are the whole body of a file that has not been made; else false.
    func takes(_ bytes: UnsafeRawBufferPointer, at offset: Int64, isLast: Bool) -> Bool {
        state.withLock { state in
            guard case .memory = state.contents, state.filled.isEmpty, offset == 0, !state.isClosed,
                isLast || state.stored.record.total == Int64(bytes.count)
            else { return false }
            state.contents = .memory(Array(bytes))
            state.filled = FilledRanges(upTo: Int64(bytes.count))
            return true
        }
    }
}
