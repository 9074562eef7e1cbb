import Glibc
import SpateFileSystemCalls

/// Proves that a journal was made in its place: an attribute that identifies the file itself.
///
/// A journal may come out of an archive, with attributes that its author chose. But the author does not know the file's
/// inode and birth time. Only the harmless part of an unproven journal is used: see `JournalEntry.confined`.
enum JournalProof {
    private static let attribute = "user.spate.journal"

    /// Does nothing on a file system without attributes. Then the journal stays unproven.
    static func sign(_ file: OpenFile) {
        guard let status = try? file.status(), let text = text(of: file, status) else { return }
        try? file.attributes.set(attribute, to: text)
    }

    static func holds(for file: OpenFile) throws(FileSystemError) -> Bool {
        guard let text = text(of: file, try file.status()) else { return false }
        return try file.text(ofAttribute: attribute) == text
    }

    private static func text(of file: OpenFile, _ status: FileStatus) -> String? {
        // With a second name it may be another folder's journal.
        guard status.linkCount == 1 else { return nil }
        var birth = timespec()
        // Device numbers may change with each mount, so the time is better.
        return file.folder.platform.birthTime(file.descriptor, &birth) == 0
            ? "\(status.identity.inode) \(birth.tv_sec).\(birth.tv_nsec)"
            : "\(status.identity.inode) on \(status.identity.device)"
    }
}
