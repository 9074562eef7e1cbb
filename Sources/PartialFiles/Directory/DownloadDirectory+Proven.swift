package import SpateFileSystemCalls
package import SpateHTTPSyntax

/// Files that only their bytes proved: of a folder that was copied without attributes, or mended by another program.
extension DownloadDirectory {
    /// Makes this file the finished one of `origin`: syncs it, since others may not have, and gives it a record. Does
    /// nothing if the file is behind a link, belongs to another user, or has lost its name. If a step fails, the bytes are
    /// read again next time.
    ///
    /// - Parameters:
    ///   - file: the open file whose bytes were read.
    ///   - checksum: the checksum that they have, if one is known.
    package func keepProof(
        of file: OpenFile,
        for origin: HTTPURL,
        checksum: String?,
        isOfDocument: Bool
    ) {
        guard let status = try? file.status(), (try? file.folder.isOurs(status)) ?? false,
            (try? file.isStillNamed(as: status.identity)) ?? false, (try? file.sync()) != nil,
            var stored = try? StoredRecord(of: file)
        else { return }
        var record = ResumeRecord(origin: origin.text, isOfDocument: isOfDocument)
        (record.total, record.checksum) = (status.size, checksum)
        guard (try? stored.update(to: record, of: file)) != nil else { return }
        // What described the file before.
        if stored.medium == .attributes {
            try? Sidecar.remove(for: file.name, in: file.folder)
            return
        }
        let sidecar = Sidecar(record: record, modified: status.modified.components.seconds)
        try? sidecar.write(for: file.name, in: file.folder, durably: false)
    }
}
