import SpateFileSystemCalls
import SpateHTTPSyntax

/// A file, and what its record says about it.
struct RecordedFile: Sendable {
    let file: OpenFile
    let status: FileStatus
    let stored: StoredRecord
    /// nil if the record does not prove that Spate made the file.
    let state: StoredFile.State?

    var record: ResumeRecord { stored.record }

    init(_ file: OpenFile, _ status: FileStatus) throws(FileSystemError) {
        let stored = try StoredRecord(of: file)
        let isPartial = FileName.isPartial(file.name)
        // Beside a finished file that was written to since, or in whose place another one was put.
        if !isPartial, stored.record.origin == nil, let sidecar = try Sidecar(for: file.name, in: file.folder),
            sidecar.record.origin != nil, sidecar.record.total != nil
        {
            (self.stored, state) = (StoredRecord(sidecar.record, in: .sidecar), .changed)
        } else {
            self.stored = stored
            state = isPartial ? stored.record.partState(size: status.size) : stored.record.finalState(size: status.size)
        }
        (self.file, self.status) = (file, status)
    }
}

extension RecordedFile {
    /// It as a file of this URL that has its final name; nil if it is none.
    func finalFile(of origin: HTTPURL, in folder: OpenFolder) -> StoredFile? {
        guard let state, state != .partial else { return nil }
        let name = file.name
        return StoredFile(
            path: folder.path(name),
            name: name,
            finalName: name,
            origin: origin,
            size: status.size,
            total: record.total,
            state: state,
            hasSidecar: stored.medium == .sidecar,
            entity: state == .finished ? record.finishedEntity(size: status.size, named: name) : nil,
            hasStatedName: record.name != nil,
            isOfDocument: record.isOfDocument
        )
    }
}

extension ResumeRecord {
    // The origin alone proves nothing, since other programs write it, too.

    /// What a file with a partial name is. With bytes it has one more field.
    fileprivate func partState(size: Int64) -> StoredFile.State? {
        guard origin != nil else { return nil }
        let isBegun = total != nil || durable != nil || filled != nil || validator != nil || encoding != nil
        return size == 0 || isBegun ? .partial : nil
    }

    /// What a file with a final name is. The mark does not matter: the file was synced before the rename, and the rename
    /// may survive a power cut that undoes the removal of the mark.
    fileprivate func finalState(size: Int64) -> StoredFile.State? {
        guard origin != nil, let total else { return nil }
        return total == size ? .finished : .changed
    }
}
