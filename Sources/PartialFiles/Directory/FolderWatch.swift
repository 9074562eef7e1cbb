import Glibc
import SpateExtendedAttributes
import SpateFilePaths
import SpateFileSystemCalls

/// Notices when any process adds, removes or changes a file or its attributes in a folder. See inotify(7).
///
/// The kernel keeps up to some thousand changes until they are read. Nothing else runs meanwhile.
final class FolderWatch: Sendable {
    private let folder: OpenFolder
    private let descriptor: CInt

    /// nil if the system has no watches, or none left.
    init?(_ folder: OpenFolder) {
        self.folder = folder
        descriptor = folder.platform.watch(folder.descriptor)
        if descriptor < 0 { return nil }
    }

    deinit {
        if descriptor >= 0 { folder.platform.close(descriptor) }
    }

    /// The names that have changed since the last call; nil if unknown, because there were too many, or the folder is
    /// gone.
    func takeChanges() -> Set<FilePath>? {
        var changed: Set<FilePath> = []
        return withUnsafeTemporaryAllocation(byteCount: 16_384, alignment: MemoryLayout<inotify_event>.alignment) {
            buffer in
            while true {
                do throws(ErrorNumber) {
                    let count = try SystemCall.run { folder.platform.readChanges(descriptor, buffer) }
                    let events = UnsafeRawBufferPointer(rebasing: buffer[..<count])
                    if count == 0 || !Self.add(events, to: &changed) { return nil }
                } catch {
                    return error.code == EAGAIN ? changed : nil
                }
            }
        }
    }

    /// Adds the names of these events; false if events are missing.
    private static func add(_ events: UnsafeRawBufferPointer, to changed: inout Set<FilePath>) -> Bool {
        let headLength = MemoryLayout<inotify_event>.size
        var rest = events
        while rest.count >= headLength {
            let event = rest.loadUnaligned(as: inotify_event.self)
            let end = headLength + Int(event.len)
            guard end <= rest.count, event.mask & UInt32(IN_Q_OVERFLOW | IN_IGNORED | IN_UNMOUNT) == 0 else {
                return false
            }
            let bytes = rest[headLength..<end].prefix { $0 != 0 }
            // Spate makes no other names.
            if event.mask & UInt32(IN_ISDIR) == 0, let name = String(validating: bytes, as: UTF8.self), !name.isEmpty {
                changed.insert(FilePath(name))
            }
            rest = UnsafeRawBufferPointer(rebasing: rest[end...])
        }
        return rest.isEmpty
    }
}
