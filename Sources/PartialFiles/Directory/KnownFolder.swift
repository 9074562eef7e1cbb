package import SpateFilePaths
package import SpateFileSystemCalls
package import SpateHTTPSyntax
import SpateLocking
import SpateTiming

/// The known content of a folder that was read as a whole: made for the first lookup by URL alone, and kept up to date
/// from then on.
///
/// A hint only: before acting on a file, look at its own record.
struct KnownFolder: Sendable {
    let folder: OpenFolder
    private(set) var index: FolderIndex
    /// Why files of our own may not be read. They may belong to any URL.
    private(set) var forbidden: [FilePath: FileSystemError] = [:]
    private let watch: FolderWatch?
    /// When the folder had last changed at the time of reading; nil if that was less than a moment before: another
    /// change in the same moment might leave the time as it is.
    private let changed: Duration?
    /// When it was read, and for how long.
    private let read: (began: ContinuousClock.Instant, time: Duration)

    /// Reads the folder.
    ///
    /// - Parameter isWatched: whether a descriptor may be taken to notice changes.
    init(_ folder: OpenFolder, isWatched: Bool) throws(FileSystemError) {
        self.folder = folder
        let began = folder.platform.runtime.now
        // The watch begins first, to notice changes during the reading.
        watch = isWatched ? FolderWatch(folder) : nil
        changed = Self.settledTime(of: folder)
        var journals: [FilePath] = []
        var forbidden: [FilePath: FileSystemError] = [:]
        index = try FolderIndex { (add) throws(FileSystemError) in
            try folder.forEachName { name throws(FileSystemError) in
                if FileName.isSidecar(name) {
                    if FileName.isJournal(name) { journals.append(name) }
                } else if let origin = try Self.origin(of: name, in: folder, &forbidden) {
                    add(name, origin)
                }
                return true
            }
        }
        self.forbidden = forbidden
        for name in journals { index.note(journal: name, isThere: true) }
        read = (began, folder.platform.runtime.now - began)
    }

    /// Brings it up to date; false if the folder must be read again.
    ///
    /// - Parameter isRecentEnough: whether changes by others since a recent reading may be missing, if nobody reports
    ///   them.
    mutating func update(isRecentEnough: Bool) throws(FileSystemError) -> Bool {
        // Nobody reports changes by another machine.
        guard folder.platform.isLocal(folder.descriptor), let watch else {
            // At most a twentieth of the time goes into reading.
            if isRecentEnough, folder.platform.runtime.now - read.began < max(.seconds(1), read.time * 20) {
                return true
            }
            return folder.platform.isLocal(folder.descriptor) && changed != nil
                && changed == Self.settledTime(of: folder)
        }
        guard let names = watch.takeChanges() else { return false }
        // Permissions may come back without a change here.
        for name in names.union(forbidden.keys) {
            if FileName.isJournal(name) {
                index.note(journal: name, isThere: !folder.isNothing(named: name))
            } else {
                let name = FileName.described(by: name) ?? name
                index.note(name, of: try Self.origin(of: name, in: folder, &forbidden))
            }
        }
        return true
    }

    mutating func note(_ name: FilePath, of origin: HTTPURL) { index.note(name, of: origin.text) }

    /// The origin of a file, without the rest of its record.
    private static func origin(
        of name: FilePath,
        in folder: OpenFolder,
        _ forbidden: inout [FilePath: FileSystemError]
    ) throws(FileSystemError) -> String? {
        if !forbidden.isEmpty { forbidden[name] = nil }
        do throws(FileSystemError) {
            guard let file = try folder.openPossible(name) else { return nil }
            // It is empty if the record is in a sidecar.
            if let origin = try file.text(ofAttribute: RecordField.origin.rawValue), !origin.isEmpty { return origin }
            return try Sidecar(of: file)?.record.origin
        } catch  where error.kind == .permissionDenied {
            // Our user's, perhaps for ever: it must not keep downloads from starting.
            forbidden[name] = error
            return nil
        }
    }

    /// When the folder changed, since 1970; nil if that was less than 50 ms ago, or in the future.
    private static func settledTime(of folder: OpenFolder) -> Duration? {
        guard let changed = try? folder.status().modified else { return nil }
        return folder.platform.runtime.wallClock() - changed > .milliseconds(50) ? changed : nil
    }
}

extension DownloadDirectory {
    /// Calls a closure with the current index; nil if there is no folder. The first call reads the folder, and so does
    /// every call on a file system that other machines may change.
    ///
    /// - Parameters:
    ///   - anew: whether to read the folder in any case.
    ///   - isRecentEnough: whether changes by others since a recent reading may be missing, if nobody reports them.
    func withIndex<Value>(
        anew: Bool = false,
        isRecentEnough: Bool = false,
        _ body: (FolderIndex) -> Value
    ) throws(FileSystemError) -> Value? {
        guard let folder = try existingFolder() else { return nil }
        return try known.withLock { known throws(FileSystemError) in
            var isCurrent = false
            if !anew, var present = known, present.folder === folder {
                // After an error, changes may be missing.
                known = nil
                isCurrent = try present.update(isRecentEnough: isRecentEnough)
                known = present
            }
            if !isCurrent {
                known = nil
                // There may be very many folders of URLs, with few files each.
                known = try KnownFolder(folder, isWatched: root == nil)
            }
            return known.map { body($0.index) }
        }
    }

    /// The final file of a claim under a name that a response gave; nil if the naming is another. Its URL does not lead to
    /// it, but the index does. Reads the folder if it is not known.
    ///
    /// Where the kernel reports no changes, as on a network file system, a file that somebody else has just finished may be
    /// missed, and is fetched again.
    func statedFile(_ claim: FileClaim) throws(FileSystemError) -> StoredFile? {
        guard claim.naming == .stated else { return nil }
        return try finalFile(of: claim.origin, isRecentEnough: true) { $0.hasStatedName }
    }

    /// This process has just given a file a stated name.
    package func noteStatedFile(_ name: FilePath, of origin: HTTPURL) {
        known.withLock { $0?.note(name, of: origin) }
    }

    /// The names of the journals in the index; nil if there is no folder.
    package func knownJournals() throws(FileSystemError) -> Set<FilePath>? { try withIndex { $0.journals } }

    /// The final file of `origin`, under any name. Reads the folder if it is not known.
    ///
    /// - Parameters:
    ///   - isRecentEnough: whether changes by others since a recent reading may be missing, if nobody reports them.
    ///   - suits: whether it is one of the files wanted.
    package func finalFile(
        of origin: HTTPURL,
        isRecentEnough: Bool = false,
        where suits: (StoredFile) -> Bool = { _ in true }
    ) throws(FileSystemError) -> StoredFile? {
        var changed: StoredFile?
        for anew in [false, true] {
            let names = try withIndex(anew: anew, isRecentEnough: isRecentEnough) { $0[origin] } ?? []
            guard let folder = try existingFolder() else { return nil }
            let search = NameSearch(folder: folder, origin: origin)
            var isOutOfDate = false
            for name in names {
                let owner = try search.owner(of: name)
                if !FileName.isPartial(name), let file = search.finalFile(name, owner), suits(file),
                    file.isFinished(else: &changed)
                {
                    return file
                }
                switch owner {
                case .nothing, .another: isOutOfDate = true
                default: continue
                }
            }
            if !isOutOfDate { return changed }
        }
        return changed
    }
}
