import SpateFileSystemCalls
import SpateHTTPResumption
import SpateLocking
import SpatePartialFiles

/// A file that existed before the attempt: it is the result, is checked with the server, or is replaced.
extension Attempt {
    /// A file that `open` would ignore, but that the request may use.
    func presentFile() throws(FileSystemError) -> StoredFile? {
        let (enqueued, isRepair) = (download.enqueuedRequest, download.enqueuedRequest.repair != nil)
        if request.replacesExisting, !isRepair {
            return enqueued.checksForUpdate ? try directory.finishedFile(of: request.url, naming: request.naming) : nil
        }
        // Then it does not matter who made or changed the file.
        let isProvable = isRepair || download.wanted.isProvable
        guard isProvable || enqueued.skipsExistingFile else { return nil }
        let own = try directory.finalFile(of: request.url, naming: request.naming)
        if let own, own.isFinished || isProvable { return own }
        if !isProvable { return try directory.existingFile(for: request, enqueued) }
        // If it was a wrong one, it has been read once.
        if number > 1, !isRepair { return nil }
        let followsLinks = isRepair || enqueued.skipsExistingFile
        return try directory.file(named: request.naming, for: request.url, followsLinks: followsLinks)
    }

    /// Ends with a finished file if the request accepts it, or asks the server about it. Otherwise the file is replaced
    /// when the new one is complete.
    func check(_ file: StoredFile) {
        let wanted = download.wanted
        let isOwn = file.isFinished && !file.isStranger
        let replaced: ReplacedFiles = request.replacesExisting ? .all : isOwn ? .own : .none
        let isUpdate = download.enqueuedRequest.checksForUpdate && isOwn
        if isUpdate { control.withLock { $0.finished = file } }
        guard wanted.accepts(size: file.size) else { return open(replacing: replaced) }
        guard wanted.isProvable else {
            if !isUpdate { return end(with: file) }
            control.withLock { $0.asksForChange = true }
            return open(replacing: replaced)
        }
        onDisk {
            do {
                // A cancelled attempt reports nothing.
                guard let right = try self.rightBytes(of: file) else {
                    return self.end(with: file, update: isUpdate ? .unchanged : nil)
                }
                let source = RightBytes(ranges: right, file: try self.directory.open(file), entity: file.entity)
                self.open(replacing: replaced, with: [source])
            } catch {
                self.fail(with: DownloadError(opening: error), FailedAttempt(reached: 0, self.history))
            }
        }
    }

    /// Whether another process or manager has finished the file since this attempt began: unnamed files are invisible
    /// to others. Then this attempt's bytes are useless, and would look like a part of an update.
    var isFinishedByAnother: Bool {
        let wanted = download.wanted
        if control.withLock({ $0.replaces }) || wanted.isProvable { return false }
        // If it is unknown, the bytes are kept.
        guard let file = (try? directory.finishedFile(of: request.url, naming: request.naming)) ?? nil else {
            return false
        }
        return wanted.accepts(size: file.size)
    }

    /// The same, for the part of an earlier attempt.
    private func removeOwnPart() {
        // If it stays, the next update removes it.
        guard let owner = manager.ownership.owner,
            let part = (try? directory.partialFile(of: request.url, naming: request.naming)) ?? nil, part.owner == owner
        else { return }
        try? directory.delete([part])
    }

    func end(with file: StoredFile, response: KeptResponse? = nil, update: DownloadUpdate? = nil) {
        if number > 1, response == nil, download.hasOwnedFile { removeOwnPart() }
        do throws(FileSystemError) {
            guard try directory.keepName(of: file) else {
                control.withLock { ($0.finished, $0.asksForChange) = (nil, false) }
                return begin()
            }
            directory.deleteUselessParts(beside: file, of: manager.ownership.owner)
        } catch {
            return fail(with: DownloadError(writing: error), FailedAttempt(reached: 0, history))
        }
        report(FinishedAttempt(path: file.finalPath, size: file.size, response: response, update: update))
        finish()
    }

    /// The entity to ask the server about, if any.
    var askedAbout: FinishedEntity? {
        // Most requests do not check, and need no lock here.
        let enqueued = download.enqueuedRequest
        guard enqueued.checksForUpdate || enqueued.asksOnly else { return nil }
        // The URL's validators mean nothing to a mirror.
        if mirror != nil { return nil }
        return control.withLock { $0.asksForChange ? $0.finished?.entity : nil }
    }

    /// The server still has the finished file: it stays, and the bytes of another version are dropped.
    func keepFinished(_ file: PartialFile, isProven: Bool) {
        onDisk { [self] in
            let finished: StoredFile
            do throws(FileSystemError) {
                guard let found = control.withLock({ $0.finished }), try directory.has(found, naming: request.naming)
                else {
                    // The file was removed while the server was asked.
                    control.withLock { $0.finished = nil }
                    if download.enqueuedRequest.asksOnly { return finishedFileIsGone() }
                    return handle(file) { $0.finishedFileIsGone() }
                }
                finished = found
            } catch {
                return close(file, .failed(FetchFailure(DownloadError(opening: error))))
            }
            if download.enqueuedRequest.asksOnly { return answered(about: finished, isProven: isProven) }
            // If it stays, the next check removes it.
            try? file.delete()
            file.close()
            end(with: finished, response: control.withLock { $0.machine.response }, update: .unchanged)
        }
    }

    /// Whether this attempt replaces a finished file.
    var replacesFinishedFile: Bool {
        if isUpdate { return true }
        guard request.replacesExisting else { return false }
        if control.withLock({ $0.$replaced != nil }) { return true }
        do throws(FileSystemError) {
            return try directory.file(named: request.naming, for: request.url) != nil
        } catch {
            // There may be one.
            return true
        }
    }

    /// Whether a finished file, of an update or a repair, stays if this attempt fails.
    var isUpdate: Bool { control.withLock { isUpdate($0) } }

    func isUpdate(_ control: borrowing Control) -> Bool {
        control.$finished != nil && !download.enqueuedRequest.asksOnly
    }
}
