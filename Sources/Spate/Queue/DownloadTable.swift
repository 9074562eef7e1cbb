import SpateFilePaths
import SpateHTTPSyntax
import SpatePartialFiles

/// A manager's downloads by URL, the names of their files, and the attempts that hold a file.
struct DownloadTable {
    private struct Entry {
        /// The hash of its URL.
        var hash = 0
        var download: Download?
        /// The operation of the attempt that may have the file open. It may outlive its download.
        var holder: DownloadOperation?

        func isOf(_ url: HTTPURL) -> Bool { (download ?? holder?.download)?.valid?.url == url }
    }

    /// Of each URL's entry. A download knows its own index.
    private var indices = HashedIndices()
    private var entries: [Entry] = []
    private var freeIndices: [Int] = []
    /// The reserved final names of the files.
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
    func download(_ url: HTTPURL) -> Download? { index(of: url).flatMap { entries[$0].download } }

    private func index(of url: HTTPURL) -> Int? { indices.first(url.hashValue, in: entries) { $0.isOf(url) } }

    /// All downloads, in the order of enqueueing.
    var downloads: [Download] { entries.compactMap(\.download).sorted { $0.serial < $1.serial } }

    /// The download of this URL, or else a new one, with the best free one of its names.
    mutating func enter(
        _ request: ValidRequest,
        else make: (_ serial: UInt64, _ index: Int) -> Download
    ) -> (download: Download, isNew: Bool) {
        let known = index(of: request.url)
        if let known, let download = entries[known].download { return (download, false) }
        let index = known ?? newEntry(request.url.hashValue)
        let download = make(nextSerial(), index)
        entries[index].download = download
        names.claim(request.claim, by: index)
        return (download, true)
    }

    private mutating func newEntry(_ hash: Int) -> Int {
        let index = freeIndices.popLast() ?? entries.count
        if index == entries.count { entries.append(Entry()) }
        entries[index].hash = hash
        indices.insert(index, hash)
        return index
    }

    /// Removes this download, but not a later one of the same URL.
    mutating func remove(_ download: Download) {
        guard let request = download.valid, let index = download.index, entries[index].download === download else {
            return
        }
        if request.choosesPlace { chosenPlaces.insert(request.claim) }
        entries[index].download = nil
        names.release(index)
        if entries[index].holder == nil { removeEntry(index) }
    }

    private mutating func removeEntry(_ index: Int) {
        indices.remove(index, entries[index].hash)
        freeIndices.append(index)
    }

    // MARK: Names

    /// Reserves the name for this download, which gives up its former name; false if another has it. The download is here,
    /// or an attempt of it holds a file.
    mutating func claim(_ name: FilePath, in folder: FilePath, for download: Download) -> Bool {
        guard let index = download.index else { return true }
        return names.claim(name, in: folder, by: index)
    }

    /// Whether another download has this name.
    func isTaken(_ name: FilePath, in folder: FilePath, from url: HTTPURL) -> Bool {
        names.isTaken(name, in: folder, for: index(of: url))
    }

    /// Whether a download fetches the file of this claim, by the name that it has reserved.
    func fetches(_ download: Download, fileOf claim: FileClaim) -> Bool {
        guard let own = download.valid?.claim, own.overlaps(claim) else { return false }
        guard let name = download.index.flatMap({ names.name($0) }) else { return true }
        return own == claim || claim.names.contains { $0.path == name }
    }

    // MARK: Files

    /// The claims of this URL, except a plain request's: that of its download, and those of recent ended downloads.
    func claims(of url: HTTPURL) -> [FileClaim] {
        let own = (download(url)?.valid?.claim).map { [$0] } ?? []
        return own + chosenPlaces[url].filter { !own.contains($0) }
    }

    /// The operation whose attempt may have this URL's file open.
    func holder(of url: HTTPURL) -> DownloadOperation? { index(of: url).flatMap { entries[$0].holder } }

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
        guard let index = download.index, entries[index].holder === operation else { return }
        entries[index].holder = nil
        if entries[index].download == nil {
            // The attempt may have reserved a name after its download was removed.
            names.release(index)
            removeEntry(index)
        }
    }

    var isEmpty: Bool { indices.isEmpty }
}

/// The file names that downloads have reserved, so that two with the same name get different ones before either has a
/// file.
struct NameClaims {
    private struct Name {
        let folder: FilePath
        let name: FilePath
        let hash: Int

        init(_ name: FilePath, in folder: FilePath) {
            // Most downloads of a manager share their folder.
            (self.folder, self.name, hash) = (folder, name, name.hashValue)
        }

        func isSame(as other: Name?) -> Bool { name == other?.name && folder == other?.folder }
    }

    /// The name of each download, at its index.
    private var names: [Name?] = []
    private var indices = HashedIndices()

    /// Reserves the best free name for the download of this index, which gives up its former one; none if all are taken.
    mutating func claim(_ claim: FileClaim, by index: Int) {
        for name in claim.names where self.claim(name.path, in: claim.folder, by: index) { return }
    }

    /// Reserves the name for the download, which gives up its former name; false if another has it.
    mutating func claim(_ name: FilePath, in folder: FilePath, by index: Int) -> Bool {
        let name = Name(name, in: folder)
        if let owner = owner(of: name) { return owner == index }
        release(index)
        while names.count <= index { names.append(nil) }
        names[index] = name
        indices.insert(index, name.hash)
        return true
    }

    /// Whether another download than that of this index has this name.
    func isTaken(_ name: FilePath, in folder: FilePath, for index: Int?) -> Bool {
        owner(of: Name(name, in: folder)).map { $0 != index } ?? false
    }

    /// The name of the download of this index.
    func name(_ index: Int) -> FilePath? { index < names.count ? names[index]?.name : nil }

    private func owner(of name: Name) -> Int? { indices.first(name.hash, in: names, where: name.isSame) }

    mutating func release(_ index: Int) {
        guard index < names.count, let name = names[index].take() else { return }
        indices.remove(index, name.hash)
    }
}
