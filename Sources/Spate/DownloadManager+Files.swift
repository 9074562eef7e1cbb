public import Foundation
import SpateFilePaths
import SpateFileSystemCalls
import SpateHTTPSyntax
import SpateLocking
import SpatePartialFiles

extension DownloadManager {
    /// Cancels the download of this URL, if there is one, and removes its partial and its finished file.
    ///
    /// It searches the manager's folder, including files with chosen names, the folders of
    /// ``DownloadRequest/placement`` there, and the folders that requests for this URL named. The manager knows those
    /// until it goes, but only the latest of many thousand. The first call reads the whole folder. From then on the
    /// manager knows the names of its files, and a call is quick for any number of files. On a network file system, or
    /// if inotify(7) has no watches left, each call reads the folder: delete many URLs in one call there. Removes only
    /// files that Spate made for this URL; it is no error if there are none. A file that was changed since it was finished
    /// stays. Queues that earlier processes left in the
    /// folder forget the URL, and so do kept failures. It may be enqueued again at once.
    ///
    /// - Throws: a ``DownloadError`` if the URL is invalid or a file could not be removed, with the code
    ///   ``DownloadError/Code/inUse`` if another process or manager is downloading it, and
    ///   ``DownloadError/Code/fileChanged`` if it was changed. The others are removed.
    public func delete(_ url: URL) throws {
        var deletion = Deletion(in: self)
        _ = try deletion.add(url)
        try deletion.run()
    }

    /// Deletes the downloads and files of many URLs, each like ``delete(_:)-(URL)``, but reads the folder at most once
    /// for all.
    ///
    /// - Returns: the error for each URL whose files could not all be removed. The others are removed.
    @discardableResult
    public func delete(_ urls: some Sequence<URL>) -> [URL: DownloadError] {
        var deletion = Deletion(in: self)
        var failures: [URL: DownloadError] = [:]
        var spellings: [HTTPURL: [URL]] = [:]
        for url in urls {
            do throws(DownloadError) {
                spellings[try deletion.add(url), default: []].append(url)
            } catch {
                failures[url] = error
            }
        }
        // Its failures are returned.
        try? deletion.run()
        for failure in deletion.failures {
            let affected = failure.url.map { spellings[$0] ?? [] } ?? spellings.values.flatMap(\.self)
            for url in affected { failures[url] = failures[url] ?? failure.error }
        }
        return failures
    }

    /// Removes the partial and the finished file of this request, in its folder and under its name, and cancels the
    /// download that fetches it, if there is one. Queues that earlier processes left keep the URL. See
    /// ``delete(_:)-(URL)``.
    ///
    /// - Throws: a ``DownloadError`` like that method, or if the request is invalid.
    public func delete(_ request: DownloadRequest) throws {
        var deletion = Deletion(in: self)
        deletion.add(try ValidRequest(request, in: validConfiguration))
        try deletion.run()
    }

    /// Cancels all downloads, and removes every partial and finished file that Spate made in the manager's folder and
    /// in folders of ``DownloadRequest/placement`` there, also in earlier processes. The folders stay. In other folders
    /// it removes the files of the present downloads. Other files stay. Queues of earlier processes are removed, and
    /// failures are forgotten.
    ///
    /// - Throws: the first ``DownloadError``, after removing everything that can be removed. Files that another process
    ///   or manager is downloading stay; their code is ``DownloadError/Code/inUse``. So do files that were changed since
    ///   they were finished, with the code ``DownloadError/Code/fileChanged``.
    public func deleteAll() throws {
        var deletion = Deletion(in: self)
        deletion.addAll()
        try deletion.run()
    }

    /// The finished, partial and changed files in the manager's folder, and in the folders of
    /// ``DownloadRequest/placement`` there, sorted by folder and name. A file that is being updated or replaced appears
    /// twice: the present file, then the partial file of the new version.
    ///
    /// - Throws: ``DownloadError`` if the folder, or a file of this user in it, cannot be read. A folder that does not
    ///   exist holds nothing.
    public func storedDownloads() throws -> [StoredDownload] {
        let directory = try ownDirectory()
        let files = try fileSystem { () throws(FileSystemError) in try directory.contentsOfAll() }
        let updated = UpdatedFiles(files)
        let named = files.map { (file: $0, name: ($0.isPartial ? updated.file(of: $0)?.name : nil) ?? $0.finalName) }
        let rank = { (file: StoredFile) in file.isPartial ? 1 : 0 }
        let sorted = named.sorted {
            ($0.file.folder, $0.name, rank($0.file)) < ($1.file.folder, $1.name, rank($1.file))
        }
        return sorted.compactMap { StoredDownload($0.file, as: $0.name) }
    }

    /// The finished, partial or changed file at this place, in any folder; `nil` if there is none, or if Spate did not make
    /// it. Looks at this file alone. A partial file has its own name: see ``StoredDownload/file``.
    ///
    /// - Throws: ``DownloadError`` if the file cannot be read.
    public func storedDownload(at file: URL) throws -> StoredDownload? {
        let path = FilePath(file.standardizedFileURL.path)
        let directory = directories.directory(path.parent ?? "/")
        let found = try fileSystem { () throws(FileSystemError) in try directory.storedFile(path.lastName) }
        return found.flatMap { StoredDownload($0, as: $0.finalName) }
    }

    /// Whether the complete file of this URL is on disk: in the manager's folder, or one of its
    /// ``DownloadRequest/placement`` there, under any name, or in a place that a request of this manager chose. False is
    /// no proof: a file that cannot be read, as without free descriptors, counts as missing.
    ///
    /// If the file does not have its URL's name, the first call reads the whole folder, like ``delete(_:)-(URL)``; the
    /// variant with a request does so only if a response may name the file. The manager knows other folders that requests chose until it goes, but only
    /// the latest of many thousand. Later, ask with the request.
    public func isDownloaded(_ url: URL) -> Bool {
        guard let key = try? ValidRequest.url(url) else { return false }
        return finalFile(of: key)?.isFinished ?? false
    }

    /// Whether the complete file of this request is on disk, in its folder and under its name, with a size that the
    /// request accepts. Reads the folder; a file that cannot be read counts as missing.
    ///
    /// Sends no request to the server, even if the request checks for an update. If the request skips existing files,
    /// any file of that name counts.
    public func isDownloaded(_ request: DownloadRequest) -> Bool {
        (try? hasFile(of: request, for: WantedFile(request).bySizeAlone)) ?? false
    }

    /// Where the file of this URL is, or would be if it were downloaded now. Reads the folder as
    /// ``isDownloaded(_:)-(URL)`` does.
    ///
    /// The place of its download counts first, then finished files as in ``isDownloaded(_:)-(URL)``, then those that were
    /// changed since. If the folder cannot be read, the result is the usual name. For an invalid URL it is a name in the
    /// manager's folder.
    public func fileURL(for url: URL) -> URL {
        guard let key = try? ValidRequest.url(url) else { return fallbackFile(for: url) }
        if let claim = self[url]?.valid?.claim { return file(of: claim) }
        if let file = finalFile(of: key) { return URL(fileURLWithPath: file.path.text, isDirectory: false) }
        return claims(of: key).first.map(file) ?? fallbackFile(for: url)
    }

    /// Where the file of this request is, or would be if only this request were downloaded now. Reads the folder.
    ///
    /// If the folder cannot be read, the result is the usual name there. For an invalid request it is a name in the
    /// manager's folder.
    public func fileURL(for request: DownloadRequest) -> URL {
        guard let valid = try? ValidRequest(request, in: validConfiguration) else {
            return fallbackFile(for: request.url)
        }
        let wanted = WantedFile(request).bySizeAlone
        if let file = (try? directories.directory(valid.claim).presentFile(valid.claim, for: wanted)) ?? nil,
            wanted.verdict(on: file) == .answer
        {
            return URL(fileURLWithPath: file.path.text, isDirectory: false)
        }
        return file(of: valid.claim)
    }

    // MARK: Within

    /// The claims of this URL, first a plain request's. Empty if requests are and were impossible.
    func claims(of url: HTTPURL) -> [FileClaim] {
        var claims = table.withLock { $0.claims(of: url) }
        guard validConfiguration.fault == nil, let own = try? validConfiguration.directory.get() else {
            return claims
        }
        let plain = FileClaim(url, in: own, naming: .derived)
        claims.removeAll { $0 == plain }
        return [plain] + claims
    }

    /// Whether a file on disk is the result of a request.
    func hasFile(of request: DownloadRequest, for wanted: WantedFile) throws(FileSystemError) -> Bool {
        guard let claim = try? ValidRequest(request, in: validConfiguration).claim else { return false }
        let file = try directories.directory(claim).presentFile(claim, for: wanted)
        return wanted.verdict(on: file) == .answer
    }

    /// The final file of this URL by its claims, and in the manager's folder and the folders of URLs there under any name.
    /// nil if there is none, or if that is unknown.
    private func finalFile(of url: HTTPURL) -> StoredFile? {
        var changed: StoredFile?
        for claim in claims(of: url) {
            let file = (try? directories.directory(claim).finalFile(claim)) ?? nil
            if let file, file.isFinished(else: &changed) { return file }
        }
        let own = (try? ownDirectory().finalFile(of: url)) ?? nil
        if let own, own.isFinished(else: &changed) { return own }
        for directory in (try? placedFolders(of: url)) ?? [] {
            let file = (try? directory.finalFile(of: url)) ?? nil
            if let file, file.isFinished(else: &changed) { return file }
        }
        return changed
    }

    /// The folders below the manager's that may have the file of this URL.
    func placedFolders(of url: HTTPURL) throws(FileSystemError) -> [DownloadDirectory] {
        guard let own = try? ownDirectory() else { return [] }
        let isMissing = { OpenFolder.isNothing(at: $0, on: self.surroundings.platform) }
        let folder = { (count: Int) in URLFolders.path(of: url, cutting: count, below: own.path) }
        // All of a URL are in that of its host, and most programs have none.
        var paths = isMissing(folder(.max)) ? [] : (0...min(URLFolders.most, url.folderComponents.count)).map(folder)
        paths.removeAll(where: isMissing)
        if try own.hasPaths { try own.forEachPlaced { if !paths.contains($0.path) { paths.append($0.path) } } }
        return paths.map { directories.directory($0, root: FolderRoot(own.path, isOfURLs: true)) }
    }

    /// Where the file of this claim is, or would be if it were downloaded now.
    private func file(of claim: FileClaim) -> URL {
        let path = try? directories.directory(claim).location(of: claim) { name in
            table.withLock { $0.isTaken(name, in: claim.folder, from: claim.origin) }
        }
        return URL(fileURLWithPath: (path ?? claim.path).text, isDirectory: false)
    }

    private func fallbackFile(for url: URL) -> URL {
        let name = FileName(repairing: Array(url.lastPathComponent.utf8))
        return configuration.directory.appendingPathComponent(name.text, isDirectory: false)
    }

    func ownDirectory() throws(DownloadError) -> DownloadDirectory {
        directories.directory(try validConfiguration.directory.get())
    }

    func fileSystem<Result>(_ body: () throws(FileSystemError) -> Result) throws(DownloadError) -> Result {
        do throws(FileSystemError) {
            return try body()
        } catch {
            throw DownloadError(error)
        }
    }
}
