package import SpateFileSystemCalls
import SpateHTTPResumption
package import SpateHTTPSyntax

/// Files that nothing but their bytes proved to be the wanted ones: of a folder that was copied without attributes, or
/// changed and mended by others.
extension DownloadDirectory {
    /// From now on this file is the finished one of `origin`: it gets a record. Leaves alone a file behind a link, one of
    /// another user, and one that lost its name. If the record cannot be written, the bytes are read again next time.
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
            (try? file.isStillNamed(as: status.identity)) ?? false, var stored = try? StoredRecord(of: file)
        else { return }
        let record = ResumeRecord(
            origin: origin.text,
            total: status.size,
            isOfDocument: isOfDocument,
            checksum: checksum
        )
        guard (try? stored.update(to: record, of: file)) != nil, stored.medium == .sidecar else { return }
        let sidecar = Sidecar(record: record, modified: status.modified.components.seconds)
        try? sidecar.write(for: file.name, in: file.folder, durably: false)
    }
}
