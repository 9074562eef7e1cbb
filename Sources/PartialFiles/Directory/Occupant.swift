import Glibc
import HTTPResumption

/// What has a name in a folder, as one download sees it.
enum Occupant {
    case nothing
    /// This download's, as the record in it says.
    case own(ResumeRecord, FileStatus)
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
        let record = StoredRecord(of: file, on: platform).record
        // What is written to a partial with a second name would show under that one, too.
        if FileName.isPartial(name), status.linkCount != 1 {
            self = .stranger(.regular)
        } else if record.provesSpates(name, size: status.size) {
            self = record.isOf(origin) ? .own(record, status) : .another
        } else {
            self = record.origin == nil && status.size == 0 ? .blank : .stranger(.regular)
        }
    }

    /// Whether a partial file can be made there.
    var isFree: Bool {
        switch self {
        case .nothing, .blank: true
        default: false
        }
    }
}
