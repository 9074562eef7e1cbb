import Glibc
import HTTPResumption

extension DownloadDirectory {
    /// Every file in the folder that Spate made, finished or not, in no order; none where there is no folder. Files of
    /// others are passed over, and so is what cannot be read.
    package func contents() throws(FileSystemError) -> [StoredFile] {
        guard let folder = try existingFolder() else { return [] }
        var files: [StoredFile] = []
        try folder.forEachName { name in
            if let file = storedFile(name, in: folder) { files.append(file) }
            return true
        }
        return files
    }

    private func storedFile(_ name: String, in folder: OpenFolder) -> StoredFile? {
        guard !FileName.isSidecar(name), let file = try? folder.open(name, O_RDONLY),
            let status = try? file.status(), status.kind == .regular
        else { return nil }
        let record = StoredRecord(of: file, on: platform).record
        guard record.provesSpates(name, size: status.size), let text = record.origin,
            let origin = try? HTTPURL(text), record.isOf(origin)
        else { return nil }

        let isPartial = FileName.isPartial(name)
        guard let finalName = isPartial ? FileName(ofPartial: name, origin: origin)?.text : name else { return nil }
        let trusted = record.durable?.trustedLength(of: status.size, under: platform.boot) ?? 0
        let isWhole = record.isWhole(size: status.size, under: platform.boot)
        return StoredFile(
            path: folder.path(name),
            name: name,
            finalName: finalName,
            origin: origin,
            size: isPartial ? trusted : status.size,
            total: record.total,
            condition: isPartial ? .partial : isWhole ? .finished : .damaged,
            isInUse: isPartial && isLocked(file)
        )
    }

    /// Tries the lock and gives it back at once: whoever opens the file in that instant asks more than once.
    private func isLocked(_ file: OpenFile) -> Bool {
        guard (try? file.lock(LOCK_SH)) ?? false else { return true }
        file.unlock()
        return false
    }
}
