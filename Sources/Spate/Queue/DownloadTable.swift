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

    /// The index of each URL's entry. A download knows its own, because looking up a URL is expensive.
    private var indices: [HTTPURL: Int] = [:]
    private var entries: [Entry] = []
    private var freeIndices: [Int] = []
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
    func download(_ url: HTTPURL) -> Download? { indices[url].flatMap { entries[$0].download } }

    /// All downloads, in the order of enqueueing.
    var downloads: [Download] { entries.compactMap(\.download).sorted { $0.serial < $1.serial } }

    /// The download of this URL, or else a new one, with the best free one of its names.
    mutating func enter(
        _ request: ValidRequest,
        _ candidates: FileNaming.Candidates,
        else make: (_ serial: UInt64, _ index: Int) -> Download
    ) -> (download: Download, isNew: Bool) {
        let index = index(of: request.url)
        if let known = entries[index].download { return (known, false) }
        let download = make(nextSerial(), index)
        entries[index].download = download
        names.claim(candidates, in: request.directory, held: &entries[index].name)
        return (download, true)
    }

    /// The index of this URL's entry, made if there is none.
    private mutating func index(of url: HTTPURL) -> Int {
        let next = freeIndices.last ?? entries.count
        // A single lookup: most URLs are new.
        let index = { (index: inout Int?) in
            if let index { return index }
            index = next
            return next
        }(&indices[url])
        if index == next {
            if index == entries.count { entries.append(Entry()) } else { freeIndices.removeLast() }
        }
        return index
    }

    /// Removes this download, but not a later one of the same URL.
    mutating func remove(_ download: Download) {
        guard let request = download.valid, let index = download.index, entries[index].download === download else {
            return
        }
        if request.choosesPlace { chosenPlaces.insert(request.place, of: request.url) }
        entries[index].download = nil
        names.release(&entries[index].name)
        if entries[index].holder == nil { removeEntry(index, of: request.url) }
    }

    private mutating func removeEntry(_ index: Int, of url: HTTPURL) {
        indices[url] = nil
        freeIndices.append(index)
    }

    // MARK: Names

    /// Reserves the name for this download, which gives up its former name; false if another has it. The download is here,
    /// or an attempt of it holds a file.
    mutating func claim(_ name: String, in folder: String, for download: Download) -> Bool {
        guard let index = download.index else { return true }
        return names.claim(name, in: folder, held: &entries[index].name)
    }

    /// Whether another download has this name.
    func isTaken(_ name: String, in folder: String, from url: HTTPURL) -> Bool {
        names.isTaken(name, in: folder, held: indices[url].flatMap { entries[$0].name })
    }

    // MARK: Files

    /// The possible places of this URL's file, except a plain request's: that of its download, and those of recent
    /// ended downloads.
    func places(of url: HTTPURL) -> [FilePlace] {
        let own = (download(url)?.valid?.place).map { [$0] } ?? []
        return own + chosenPlaces[url].filter { !own.contains($0) }
    }

    /// The operation whose attempt may have this URL's file open.
    func holder(of url: HTTPURL) -> DownloadOperation? { indices[url].flatMap { entries[$0].holder } }

    /// The operation whose attempt may have this download's file open.
    func holder(of download: Download) -> DownloadOperation? {
        guard let index = download.index, entries[index].download === download else {
            return download.key.flatMap { holder(of: $0) }
        }
        return entries[index].holder
    }

    /// The operations whose attempts may have a file open.
    var holders: [DownloadOperation] { entries.compactMap(\.holder) }

    /// The operation may open the file of its download, which is here.
    mutating func setHolder(_ operation: DownloadOperation) {
        guard let index = operation.download.index else { return }
        entries[index].holder = operation
    }

    /// The operation has closed the file.
    mutating func removeHolder(_ operation: DownloadOperation) {
        let download = operation.download
        guard let request = download.valid, let index = download.index, entries[index].holder === operation else {
            return
        }
        entries[index].holder = nil
        if entries[index].download == nil {
            // The attempt may have reserved a name after its download was removed.
            names.release(&entries[index].name)
            removeEntry(index, of: request.url)
        }
    }

    var isEmpty: Bool { indices.isEmpty }
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

    /// Each download stores its own name.
    private var taken: Set<Name> = []

    /// Reserves the best free name; none if all are taken.
    ///
    /// - Parameter held: the download's name, which it gives up for another.
    mutating func claim(_ candidates: FileNaming.Candidates, in folder: String, held: inout Name?) {
        for name in candidates where claim(name.text, in: folder, held: &held) { return }
    }

    /// Reserves the name for the download, which gives up its former name; false if another has it.
    mutating func claim(_ name: String, in folder: String, held: inout Name?) -> Bool {
        let wanted = Name(folder: folder, name: name)
        if wanted == held { return true }
        guard taken.insert(wanted).inserted else { return false }
        release(&held)
        held = wanted
        return true
    }

    /// Whether another download than the one with `held` has this name.
    func isTaken(_ name: String, in folder: String, held: Name?) -> Bool {
        let name = Name(folder: folder, name: name)
        return name != held && taken.contains(name)
    }

    mutating func release(_ held: inout Name?) {
        if let name = held.take() { taken.remove(name) }
    }
}
