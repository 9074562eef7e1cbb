package import SpateFilePaths
import SpateFileSystemCalls
package import SpateHTTPSyntax

/// Where a download writes: its names and the folder.
package struct FileLocation: Sendable {
    package let origin: HTTPURL
    /// The name for which the search found it. Its partial files are named after this one, even if the file gets
    /// another final name.
    let searched: FileName
    package internal(set) var finalName: FilePath
    package internal(set) var partialName: FilePath
    let folder: OpenFolder
    /// Whether the search found the partial file.
    package let isPresent: Bool

    /// Whether it is the second partial file, in which a mirror starts from zero.
    package var isOfMirror: Bool { partialName == searched.mirrorPartial(of: origin) }

    package var finalPath: FinalPath { FinalPath(folder: folder.path, name: finalName) }
    package var partialPath: FilePath { folder.path(partialName) }
}

/// Looks up the names that one download could use.
struct NameSearch {
    enum Result {
        case finished(StoredFile)
        /// A changed file has a name of the download and may not be replaced. Another file beside it would be the same one
        /// twice.
        case changed(StoredFile)
        /// The names that the download may use, best first.
        case locations([FileLocation])
    }

    private enum Finding {
        case resumable(FileLocation)
        case free(FileLocation)
    }

    let folder: OpenFolder
    let origin: HTTPURL

    /// A finished file wins over a partial file, and a partial file over a free name.
    ///
    /// - Parameter replaced: the files that the download may replace. If it may replace its own, it does not stop at a
    ///   finished file.
    func result(
        for names: FileNaming.Candidates,
        replacing replaced: ReplacedFiles = .none
    ) throws(FileSystemError) -> Result {
        var changed: StoredFile?
        var replacing: [FileLocation] = []
        var resumable: [FileLocation] = []
        var free: [FileLocation] = []
        candidates: for (turn, name) in names.enumerated() {
            let owner = try owner(of: name.path)
            let file = finalFile(name.path, owner)
            if replaced == .none, let file, file.isFinished { return .finished(file) }
            guard owner.isReplaceable(by: replaced) else {
                if let file { changed = changed ?? file }
                continue
            }
            let isOwn = file != nil
            switch try partial(for: name, isExplicit: names.isExplicit, isVariant: turn > 0) {
            case .resumable(let location):
                if isOwn { replacing.append(location) } else { resumable.append(location) }
            case .free(let location):
                if isOwn { replacing.append(location) } else { free.append(location) }
                if turn >= names.hashTurn { break candidates }
            case nil: continue
            }
        }
        if let changed, replacing.isEmpty { return .changed(changed) }
        // A new version takes the place of the file, even if a better name is free, or another's file may be replaced.
        return .locations(replacing + resumable + free)
    }

    /// The partial file for a final name: beside it, or with the hash in its name if a stranger has the plain name.
    private func partial(
        for name: FileName,
        isExplicit: Bool,
        isVariant: Bool
    ) throws(FileSystemError) -> Finding? {
        let first = try owner(of: name.partial)
        if case .own = first { return .resumable(location(name, name.partial, first)) }
        // A name that the caller chose stays, even if another download is fetching it. Others move on.
        if case .another = first, !isExplicit { return nil }
        if isVariant, first.isFree { return .free(location(name, name.partial, first)) }

        let otherName = name.partial(of: origin)
        let second = try owner(of: otherName)
        if case .own = second { return .resumable(location(name, otherName, second)) }
        if first.isFree { return .free(location(name, name.partial, first)) }
        return second.isFree ? .free(location(name, otherName, second)) : nil
    }

    private func location(_ name: FileName, _ partialName: FilePath, _ owner: NameOwner) -> FileLocation {
        let isPresent = if case .nothing = owner { false } else { true }
        return FileLocation(
            origin: origin,
            searched: name,
            finalName: name.path,
            partialName: partialName,
            folder: folder,
            isPresent: isPresent
        )
    }

    /// Whether a file that the download may not replace, or that is its own finished one, has come under this name since
    /// the search.
    func isTaken(_ finalName: FilePath, replacing replaced: ReplacedFiles) throws(FileSystemError) -> Bool {
        let owner = try owner(of: finalName)
        if replaced == .none, case .own = owner { return true }
        return !owner.isReplaceable(by: replaced)
    }

    /// The second partial file beside this location; nil if its name is taken.
    func mirrorLocation(beside location: FileLocation) throws(FileSystemError) -> FileLocation? {
        let partial = location.searched.mirrorPartial(of: origin)
        let owner = try owner(of: partial)
        if case .own = owner { return self.location(location.searched, partial, owner) }
        return owner.isFree ? self.location(location.searched, partial, owner) : nil
    }

    func owner(of name: FilePath) throws(FileSystemError) -> NameOwner {
        guard let found = try folder.status(of: name) else { return .nothing }
        guard found.kind == .regular, let (file, status) = try folder.openOwn(name) else {
            return .stranger(found.kind)
        }
        let recorded = try RecordedFile(file, status)
        // Bytes written to a partial file with a second name would appear under that name, too.
        if FileName.isPartial(name), status.linkCount != 1 { return .stranger(.regular) }
        switch recorded.state {
        case .changed where recorded.record.isOf(origin): return .changed(recorded)
        case .partial, .finished: return recorded.record.isOf(origin) ? .own(recorded) : .another
        case nil where recorded.record.origin == nil && status.size == 0: return .blank
        case .changed, nil: return .stranger(.regular)
        }
    }

    /// The file of this download with this final name, finished or changed since; nil if the name has another owner.
    func finalFile(_ name: FilePath, _ owner: NameOwner) -> StoredFile? {
        switch owner {
        case .own(let file), .changed(let file): file.finalFile(of: origin, in: folder)
        case .nothing, .another, .blank, .stranger: nil
        }
    }
}

/// The finished files that a download may replace.
package enum ReplacedFiles: Sendable {
    /// None: a whole file is the result.
    case none
    /// Its own: an outdated file of the same URL.
    case own
    /// Its own, also a changed one.
    case changed
    /// Any regular file with the final name.
    case all
}

/// The owner of a name in a folder, as one download sees it.
enum NameOwner {
    case nothing
    /// A file of this download, proven by its record.
    case own(RecordedFile)
    /// A file that this download has finished, and somebody changed since.
    case changed(RecordedFile)
    /// A file of another download.
    case another
    /// An empty file without a record: a run was stopped between making and signing it.
    case blank
    /// Not provably Spate's. Never changed.
    case stranger(FileStatus.Kind)

    /// Whether a partial file can be made there.
    var isFree: Bool {
        switch self {
        case .nothing, .blank: true
        default: false
        }
    }

    /// Whether a finished file may take this name. Replaces a link, but not its target, and an earlier file of this
    /// download.
    ///
    /// - Parameter replaced: what else it may replace.
    func isReplaceable(by replaced: ReplacedFiles) -> Bool {
        switch self {
        case .nothing, .own, .stranger(.link): true
        case .changed: replaced == .changed || replaced == .all
        case .another, .blank, .stranger(.regular): replaced == .all
        case .stranger: false
        }
    }
}
