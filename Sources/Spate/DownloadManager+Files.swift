public import Foundation
import HTTPResumption
import Locking
import PartialFiles

extension DownloadManager {
    /// Cancels the download of this URL, if there is one, and removes its partial and its finished file.
    ///
    /// It looks in the manager's folder, also for files whose names a request chose, and in the folders that requests for
    /// this URL named. Those are known until the manager goes; of many thousand, the latest. The first call reads the whole
    /// folder. From then on the manager knows the names of its files, and a call takes a moment, however many they are; on a
    /// network file system, or where inotify(7) has no watches left, each call reads the folder, so that many URLs are
    /// quicker deleted in one. Only files that Spate made for this URL are removed; it is no error if there are none. Queues
    /// that earlier processes left in the folder forget the URL. It may be enqueued again at once.
    ///
    /// - Throws: a ``DownloadError`` if the URL cannot be downloaded or a file could not be removed, with the code
    ///   ``DownloadError/Code/inUse`` if another process or manager is downloading it. What could be removed has been.
    public func delete(_ url: URL) throws {
        if let failure = delete([url])[url] { throw failure }
    }

    /// Deletes the downloads and files of many URLs, each as ``delete(_:)-(URL)`` does, and reads the folder once for all at
    /// most.
    ///
    /// - Returns: why something could not be removed, for each URL where that is so. What could be removed has been.
    @discardableResult
    public func delete(_ urls: some Sequence<URL>) -> [URL: DownloadError] {
        var failures: [URL: DownloadError] = [:]
        var known: [HTTPURL: (spellings: [URL], places: [FilePlace])] = [:]
        for url in urls {
            do throws(DownloadError) {
                let key = try ValidRequest.url(url)
                let places = places(of: url, key)
                if places.isEmpty { _ = try ValidRequest(DownloadRequest(url), in: validConfiguration) }
                known[key, default: ([], places)].spellings.append(url)
                endForDeletion(key)
            } catch {
                failures[url] = error
            }
        }
        for (key, error) in deleteFiles(at: known.mapValues(\.places)) {
            for url in known[key]?.spellings ?? [] { failures[url] = error }
        }
        return failures
    }

    /// Removes the files of these URLs, in these places and in the manager's folder, and returns the first error of each.
    private func deleteFiles(at places: [HTTPURL: [FilePlace]]) -> [HTTPURL: DownloadError] {
        var failures: [HTTPURL: DownloadError] = [:]
        func attempt(for keys: some Sequence<HTTPURL>, _ body: () throws(FileSystemError) -> Void) {
            do throws(DownloadError) {
                try fileSystem(body)
            } catch {
                for key in keys { failures[key] = failures[key] ?? error }
            }
        }
        let keys = Set(places.keys)
        let own = keys.isEmpty ? nil : try? ownDirectory()
        // Before their files go: what is deleted must not be restored. If that fails, as on a full disk, they go all the
        // same.
        if let own { attempt(for: keys) { () throws(FileSystemError) in try own.endJournalEntries(of: keys) } }
        for (key, places) in places {
            for place in places {
                attempt(for: [key]) { () throws(FileSystemError) in
                    try directories.directory(place.directory).delete(key, naming: place.naming, writing: writing)
                }
            }
        }
        guard let own else { return failures }
        var others: [HTTPURL: FileSystemError] = [:]
        attempt(for: keys) { () throws(FileSystemError) in others = try own.deleteAll(of: keys, writing: writing) }
        return failures.merging(others.mapValues { DownloadError(writing: $0) }) { first, _ in first }
    }

    /// Removes the partial and the finished file to which this request leads, in its folder and under its name, and cancels
    /// the download that fetches it, if there is one. Queues that earlier processes left keep the URL. See
    /// ``delete(_:)-(URL)``.
    ///
    /// - Throws: a ``DownloadError`` as that does, or if the request cannot be met.
    public func delete(_ request: DownloadRequest) throws {
        try delete(ValidRequest(request, in: validConfiguration))
    }

    /// Cancels all downloads, and removes every partial and finished file that Spate made in the manager's folder, also in
    /// earlier processes. In other folders it removes the files of the downloads that are known now. Other files stay.
    /// Queues that earlier processes kept are forgotten.
    ///
    /// - Throws: the first ``DownloadError``, after everything that could be removed has been. Files that another process
    ///   or manager is downloading are left to it; their code is ``DownloadError/Code/inUse``.
    public func deleteAll() throws {
        var failures: [any Error] = []
        let ownPath = try? validConfiguration.directory.get()
        // Attempts that have not ended yet belong to downloads that may have.
        let holders = table.withLock { $0.holders }.map(\.download)
        for download in downloads.reversed() + holders {
            guard let valid = download.valid else { continue }
            // What goes to the manager's own folder is found by one search of it, below.
            if valid.directory == ownPath {
                endForDeletion(download)
            } else if !download.state.isTerminal {
                endForDeletion(download)
                collect(&failures) { try deleteFiles(of: valid.url, at: valid.place) }
            }
        }
        // Before their files go: what is deleted must not be restored.
        journal?.removeIfDone()
        collect(&failures) {
            let directory = try ownDirectory()
            for left in directory.takeJournals() { left.remove() }
            try fileSystem { () throws(FileSystemError) in
                try directory.delete(directory.contents(), writing: writing)
            }
        }
        if let first = failures.first { throw first }
    }

    /// The finished and partial files in the manager's folder, sorted by name. Of a file that is being updated there are
    /// two: the finished one, and after it the part of the changed one.
    ///
    /// - Throws: ``DownloadError`` if the folder cannot be read. A folder that does not exist holds nothing.
    public func storedDownloads() throws -> [StoredDownload] {
        let directory = try ownDirectory()
        let files = try fileSystem { () throws(FileSystemError) in try directory.contents() }
        let sorted = files.sorted { ($0.finalName, $0.isFinished ? 0 : 1) < ($1.finalName, $1.isFinished ? 0 : 1) }
        return sorted.compactMap { file in
            guard let url = URL(string: file.origin.text) else { return nil }
            return StoredDownload(
                url: url,
                file: URL(fileURLWithPath: "\(directory.path)/\(file.finalName)", isDirectory: false),
                receivedBytes: file.size,
                totalBytes: file.total,
                isFinished: file.isFinished,
                isInUse: file.isInUse
            )
        }
    }

    /// Whether the complete file of this URL is on disk: in the manager's folder under any name, or where a request of this
    /// manager put it. A file that cannot be read counts as missing.
    ///
    /// If the file has not the name that the URL gives, the first call reads the whole folder, as ``delete(_:)-(URL)`` does;
    /// to ask with a request never does. A manager knows the other folders that requests chose until it goes; of many
    /// thousand, the latest. Later ask with the request.
    public func isDownloaded(_ url: URL) -> Bool {
        guard let key = try? ValidRequest.url(url) else { return false }
        return places(of: url, key).contains { finishedFile(of: key, at: $0) != nil } || finishedFile(of: key) != nil
    }

    /// Whether the complete file of this request is on disk, in its folder and under its name, and has a size that the
    /// request accepts. Reads the folder; a file that cannot be read counts as missing.
    ///
    /// The server is not asked, even if the request checks for an update. If it skips existing files, any file of that name
    /// counts.
    public func isDownloaded(_ request: DownloadRequest) -> Bool {
        guard let valid = try? ValidRequest(request, in: validConfiguration) else { return false }
        if let size = finishedFile(of: valid.url, at: valid.place)?.size, request.accepts(size: size) { return true }
        return existingFile(for: valid, request) != nil
    }

    /// Where the file of this URL is, or would be if it were downloaded now. Reads the folder as
    /// ``isDownloaded(_:)-(URL)`` does.
    ///
    /// What its download chose counts, and then finished files, which it knows as ``isDownloaded(_:)-(URL)`` does. For a URL
    /// that cannot be downloaded the result is a name in the manager's folder.
    public func fileURL(for url: URL) -> URL {
        guard let key = try? ValidRequest.url(url) else { return fallbackFile(for: url) }
        if let place = self[url]?.valid?.place { return file(of: key, at: place) ?? fallbackFile(for: url) }
        let places = places(of: url, key)
        let known = places.first { finishedFile(of: key, at: $0) != nil }
        if known == nil, let named = finishedFile(of: key) {
            return URL(fileURLWithPath: named.path, isDirectory: false)
        }
        return (known ?? places.first).flatMap { file(of: key, at: $0) } ?? fallbackFile(for: url)
    }

    /// Where the file of this request is, or would be if it were downloaded now, alone. Reads the folder.
    ///
    /// For a request that cannot be met the result is a name in the manager's folder.
    public func fileURL(for request: DownloadRequest) -> URL {
        guard let valid = try? ValidRequest(request, in: validConfiguration) else {
            return fallbackFile(for: request.url)
        }
        if finishedFile(of: valid.url, at: valid.place) == nil, let file = existingFile(for: valid, request) {
            return URL(fileURLWithPath: file.path, isDirectory: false)
        }
        return file(of: valid.url, at: valid.place) ?? fallbackFile(for: request.url)
    }

    // MARK: Within

    func delete(_ request: ValidRequest) throws(DownloadError) {
        endForDeletion(request.url, at: request.place)
        try deleteFiles(of: request.url, at: request.place)
    }

    /// Where files of this URL may be, that of a plain request first.
    private func places(of url: URL, _ key: HTTPURL) -> [FilePlace] {
        let plain = (try? ValidRequest(DownloadRequest(url), in: validConfiguration))?.place
        return (plain.map { [$0] } ?? []) + table.withLock { $0.places(of: key) }.filter { $0 != plain }
    }

    private func finishedFile(of url: HTTPURL, at place: FilePlace) -> StoredFile? {
        (try? directories.directory(place.directory).finishedFile(of: url, naming: place.naming)) ?? nil
    }

    /// The finished file in the manager's folder, whatever its name.
    private func finishedFile(of url: HTTPURL) -> StoredFile? {
        (try? ownDirectory().finishedFile(of: url)) ?? nil
    }

    private func existingFile(for valid: ValidRequest, _ request: DownloadRequest) -> StoredFile? {
        guard request.skipsExistingFile, !request.replacesExistingFile else { return nil }
        return directories.directory(valid.directory).existingFile(for: valid, request)
    }

    private func file(of url: HTTPURL, at place: FilePlace) -> URL? {
        let path = try? directories.directory(place.directory).location(of: url, naming: place.naming) { name in
            table.withLock { $0.isTaken(name, in: place.directory, from: url) }
        }
        return path.map { URL(fileURLWithPath: $0, isDirectory: false) }
    }

    private func fallbackFile(for url: URL) -> URL {
        configuration.directory.appendingPathComponent(url.lastPathComponent, isDirectory: false)
    }

    /// Ends the download of this URL so that nothing of it stays behind, if its file has this place, or any.
    private func endForDeletion(_ url: HTTPURL, at place: FilePlace? = nil) {
        let (known, holder) = table.withLock { ($0.download(url), $0.holder(of: url)) }
        // That of an attempt which has not ended yet may be another, cancelled a moment ago.
        for download in [known, holder?.download].compactMap(\.self) {
            if place == nil || download.valid?.place == place { endForDeletion(download) }
        }
        journal?.write()
    }

    private func endForDeletion(_ download: Download) {
        download.endForDeletion()
        table.withLock { $0.holder(of: download) }?.partialFile?.forgoName()
    }

    private func deleteFiles(of url: HTTPURL, at place: FilePlace) throws(DownloadError) {
        try fileSystem { () throws(FileSystemError) in
            try directories.directory(place.directory).delete(url, naming: place.naming, writing: writing)
        }
    }

    /// The partial file that an attempt of this manager has open for a URL.
    private func writing(_ url: HTTPURL) -> PartialFile? {
        table.withLock { $0.holder(of: url) }?.partialFile
    }

    private func collect(_ failures: inout [any Error], _ body: () throws -> Void) {
        do { try body() } catch { failures.append(error) }
    }

    func ownDirectory() throws(DownloadError) -> DownloadDirectory {
        directories.directory(try validConfiguration.directory.get())
    }

    func fileSystem<Result>(_ body: () throws(FileSystemError) -> Result) throws(DownloadError) -> Result {
        do throws(FileSystemError) {
            return try body()
        } catch {
            throw DownloadError(writing: error)
        }
    }
}
