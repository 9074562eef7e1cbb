import Glibc
import HTTPResumption

/// What has a name in a folder, as one download sees it.
enum NameOwner {
    case nothing
    /// This download's, as the record in it says.
    case own(StoredRecord, FileStatus)
    /// That of another download.
    case another
    /// An empty file without a record: somebody was stopped between making it and saying what it is.
    case blank
    /// Not Spate's, or not to be told from what is not. Left alone.
    case stranger(FileStatus.Kind)

    init(of name: String, in folder: OpenFolder, for origin: HTTPURL, on platform: Platform) throws(FileSystemError) {
        guard let found = try folder.status(of: name) else {
            self = .nothing
            return
        }
        // What may not be read cannot prove anything either.
        guard found.kind == .regular, let file = try? folder.open(name, O_RDONLY), let status = try? file.status(),
            status.kind == .regular
        else {
            self = .stranger(found.kind)
            return
        }
        let stored = StoredRecord(of: file, on: platform)
        let record = stored.record
        // What is written to a partial with a second name would show under that one, too.
        if FileName.isPartial(name), status.linkCount != 1 {
            self = .stranger(.regular)
        } else if record.provesSpates(name, size: status.size) {
            self = record.isOf(origin) ? .own(stored, status) : .another
        } else {
            self = record.origin == nil && status.size == 0 ? .blank : .stranger(.regular)
        }
    }

    /// This as the finished file of the download; nil where it is something else, or not whole.
    func finishedFile(_ name: String, in folder: OpenFolder, on platform: Platform) -> FinishedFile? {
        guard case .own(let stored, let status) = self,
            stored.record.isWhole(size: status.size, under: platform.boot)
        else { return nil }
        let hasSidecar = if case .sidecar = stored.medium { true } else { false }
        return FinishedFile(path: folder.path(name), name: name, size: status.size, hasSidecar: hasSidecar)
    }

    /// Whether a partial file can be made there.
    var isFree: Bool {
        switch self {
        case .nothing, .blank: true
        default: false
        }
    }
}
