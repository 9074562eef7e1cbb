import CSystem
package import ExtendedAttributes
import Glibc

/// The system calls whose failures are rare but matter, so that tests can make them fail. As in the C library, a failed
/// call returns a number below zero and sets `errno`.
package struct Platform: Sendable {
    /// The present boot of the machine.
    package var boot: BootID?
    /// The attributes of an open file.
    package var attributes: @Sendable (CInt) -> any FileAttributes
    package var write: @Sendable (CInt, UnsafeRawPointer, Int, Int64) -> Int
    /// Syncs a file with its attributes, or a folder.
    package var sync: @Sendable (CInt) -> CInt
    /// Reserves blocks (offset, length). The size of the file stays.
    package var reserve: @Sendable (CInt, Int64, Int64) -> CInt
    /// Makes a file without a name in a folder.
    package var openUnnamed: @Sendable (_ folder: CInt) -> CInt
    /// Gives a file without a name this one, if nothing has it.
    package var linkUnnamed: @Sendable (_ file: CInt, _ folder: CInt, _ name: String) -> CInt
    package var renameWithoutReplacing: @Sendable (_ folder: CInt, _ from: String, _ to: String) -> CInt
    package var link: @Sendable (_ folder: CInt, _ from: String, _ to: String) -> CInt
    /// The owner of a file that is made in this folder; nil if none can be made.
    package var ownerOfNewFile: @Sendable (_ folder: CInt) -> UInt32?
    /// Begins to watch a folder, and returns a descriptor of inotify(7).
    package var watch: @Sendable (_ folder: CInt) -> CInt
    /// Whether only this machine changes the file system of a folder.
    package var isLocal: @Sendable (_ folder: CInt) -> Bool
    /// The size limit of files. A write beyond it raises a signal that kills the process, so this is checked first.
    package var largestFile: @Sendable () -> Int64

    /// The real one.
    package static let native = Platform(
        boot: .current,
        attributes: { ExtendedAttributes(descriptor: $0) },
        write: { pwrite($0, $1, $2, off_t($3)) },
        // Not `fdatasync`: an attribute, which may be all that has changed, is not data.
        sync: { fsync($0) },
        reserve: { spate_fallocate_keep_size($0, off_t($1), off_t($2)) },
        openUnnamed: { spate_open_unnamed($0) },
        linkUnnamed: { file, folder, name in name.withCString { spate_link_unnamed(file, folder, $0) } },
        renameWithoutReplacing: { folder, from, to in
            from.withCString { from in to.withCString { to in spate_renameat_noreplace(folder, from, to) } }
        },
        link: { linkat($0, $1, $0, $2, 0) },
        ownerOfNewFile: { NewFile.owner(in: $0) },
        watch: { FolderWatch.begin($0) },
        isLocal: { folder in
            var volume = spate_volume()
            return spate_volume_of(folder, &volume) == 0 && volume.isLocal
        },
        largestFile: {
            var limit = rlimit()
            guard getrlimit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), &limit) == 0 else { return .max }
            return Int64(clamping: limit.rlim_cur)
        }
    )
}

/// The attributes of a file.
package protocol FileAttributes {
    func text(of name: String) throws(ExtendedAttributeError) -> String?
    func set(_ name: String, to text: String) throws(ExtendedAttributeError)
    /// Sets the attribute if the file does not have it; else false.
    func add(_ name: String, _ text: String) throws(ExtendedAttributeError) -> Bool
    func remove(_ name: String) throws(ExtendedAttributeError)
}

extension FileAttributes {
    /// In two steps, for attributes that have no such call.
    package func add(_ name: String, _ text: String) throws(ExtendedAttributeError) -> Bool {
        guard try self.text(of: name) == nil else { return false }
        try set(name, to: text)
        return true
    }
}

extension ExtendedAttributes: FileAttributes {}
