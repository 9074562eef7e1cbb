import HTTPSyntax
import PartialFiles

/// A manager's downloads by URL, the names of their files, and the attempts that hold a file.
struct DownloadTable {
    private struct Entry {
        var download: Download?
        /// The reserved final name of its file.
        var name: NameClaims.Name?
        /// The operation of the attempt that may have the file open. It may outlive its download.
        var holder: DownloadOperation?
    }

    private var entries: [HTTPURL: Entry] = [:]
    private var names = NameClaims()
    private var chosenPlaces = ChosenPlaces()
    private var lastSerial: UInt64 = 0

    mutating func nextSerial() -> UInt64 {
        lastSerial += 1
        return lastSerial
    }

    /// Whether there has ever been a download.
    var hasHadDownloads: Bool { lastSerial > 0 }

    // MARK: Downloads

    /// The download of this URL. It may have just ended: checking here would take its lock under the table's, against
    /// the order of locks.
    func download(_ url: HTTPURL) -> Download? { entries[url]?.download }

    /// All downloads, in the order of enqueueing.
    var downloads: [Download] { entries.values.compactMap(\.download).sorted { $0.serial < $1.serial } }

    /// The download of this URL, or else a new one, with the best free name.
    mutating func enter(
        _ request: ValidRequest,
        else make: (_ serial: UInt64) -> Download
    ) -> (download: Download, isNew: Bool) {
        let serial = lastSerial + 1
        let result = Self.enter(&entries[request.url, default: Entry()], request, names: &names) { make(serial) }
        if result.isNew { lastSerial = serial }
        return result
    }

    // A single lookup of the entry.
    private static func enter(
        _ entry: inout Entry,
        _ request: ValidRequest,
        names: inout NameClaims,
        else make: () -> Download
    ) -> (download: Download, isNew: Bool) {
        if let known = entry.download { return (known, false) }
        let download = make()
        entry.download = download
        names.claim(for: request.url, in: request.directory, naming: request.naming, held: &entry.name)
        return (download, true)
    }

    /// Removes this download, but not a later one of the same URL.
    mutating func remove(_ download: Download) {
        guard let request = download.valid, let index = entries.index(forKey: request.url),
            entries.values[index].download === download
        else { return }
        if request.choosesPlace { chosenPlaces.insert(request.place, of: request.url) }
        entries.values[index].download = nil
        names.release(&entries.values[index].name)
        if entries.values[index].holder == nil { entries.remove(at: index) }
    }

    // MARK: Names

    /// Reserves the name for this URL's download, which gives up its former name; false if another has it.
    mutating func claim(_ name: String, in folder: String, for url: HTTPURL) -> Bool {
        names.claim(name, in: folder, for: url, held: &entries[url, default: Entry()].name)
    }

    /// Whether another download has this name.
    func isTaken(_ name: String, in folder: String, from url: HTTPURL) -> Bool {
        names.isTaken(name, in: folder, from: url)
    }

    // MARK: Files

    /// The possible places of this URL's file, except a plain request's: that of its download, and those of recent
    /// ended downloads.
    func places(of url: HTTPURL) -> [FilePlace] {
        let own = (entries[url]?.download?.valid?.place).map { [$0] } ?? []
        return own + chosenPlaces[url].filter { !own.contains($0) }
    }

    /// The operation whose attempt may have this URL's file open.
    func holder(of url: HTTPURL) -> DownloadOperation? { entries[url]?.holder }

    /// The operation whose attempt may have this download's file open.
    func holder(of download: Download) -> DownloadOperation? { download.key.flatMap(holder(of:)) }

    /// The operations whose attempts may have a file open.
    var holders: [DownloadOperation] { entries.values.compactMap(\.holder) }

    mutating func setHolder(_ operation: DownloadOperation, of url: HTTPURL) {
        entries[url, default: Entry()].holder = operation
    }

    /// The operation has closed the file.
    mutating func removeHolder(_ operation: DownloadOperation, of url: HTTPURL) {
        guard let index = entries.index(forKey: url), entries.values[index].holder === operation else { return }
        entries.values[index].holder = nil
        if entries.values[index].download == nil {
            // The attempt may have reserved a name after its download was removed.
            names.release(&entries.values[index].name)
            entries.remove(at: index)
        }
    }

    var isEmpty: Bool { entries.isEmpty }
}

/// The file names that downloads have reserved, so that two with the same name get different ones before either has a
/// file.
struct NameClaims {
    struct Name: Hashable {
        let folder: String
        let name: String

        // Most downloads of a manager share their folder.
        func hash(into hasher: inout Hasher) { hasher.combine(name) }
    }

    private var owners: [Name: HTTPURL] = [:]

    /// Reserves the best free name; none if all are taken.
    ///
    /// - Parameter held: the download's name, which it gives up for another. Each download stores its own.
    mutating func claim(for key: HTTPURL, in folder: String, naming: FileNaming, held: inout Name?) {
        for name in naming.candidates(for: key) where claim(name.text, in: folder, for: key, held: &held) { return }
    }

    /// Reserves the name for the download, which gives up its former name; false if another has it.
    mutating func claim(_ name: String, in folder: String, for key: HTTPURL, held: inout Name?) -> Bool {
        let wanted = Name(folder: folder, name: name)
        // A single lookup: most names are free.
        let owner = { (owner: inout HTTPURL?) in
            if owner == nil { owner = key }
            return owner
        }(&owners[wanted])
        guard owner == key else { return false }
        if let old = held, old != wanted { owners[old] = nil }
        held = wanted
        return true
    }

    /// Whether another download has this name.
    func isTaken(_ name: String, in folder: String, from key: HTTPURL) -> Bool {
        guard let owner = owners[Name(folder: folder, name: name)] else { return false }
        return owner != key
    }

    mutating func release(_ held: inout Name?) {
        guard let name = held.take() else { return }
        owners[name] = nil
    }
}
