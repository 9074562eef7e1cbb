import SpateFilePaths
import SpateFileSystemCalls
import SpateHTTPResumption
import SpateLocking
import SpatePartialFiles

/// A file that existed before the attempt: it is the result, is checked with the server, or is replaced.
extension Attempt {
    /// Looks at the file that is there, and acts on it.
    func look() throws(FileSystemError) {
        let file = try directory.presentFile(request.claim, for: download.wanted, isFirstLook: number == 1)
        if let repair = download.enqueuedRequest.repair { return try self.repair(file, repair) }
        decide(on: file)
    }

    /// Ends with the file, asks its server about it, or opens the partial file.
    func decide(on file: StoredFile?) {
        let wanted = download.wanted
        let verdict = wanted.verdict(on: file)
        guard let file else { return open(replacing: verdict.replaced) }
        let isUpdate = wanted.checksForUpdate && file.isFinished && !file.isStranger
        if isUpdate { control.withLock { $0.finished = file } }
        switch verdict {
        case .answer: end(with: file)
        case .read(let replaced): read(file, replacing: replaced, isUpdate: isUpdate)
        case .ask(let replaced):
            control.withLock { $0.asksForChange = true }
            open(replacing: replaced)
        case .fetch(let replaced): open(replacing: replaced)
        case .refuse: refuse(file)
        }
    }

    /// Somebody changed the file, and it may not be replaced.
    func refuse(_ file: StoredFile) {
        fail(with: .changed(file.path.text, file.size, finished: file.total ?? file.size))
    }

    /// Ends with the file if all its bytes are right.
    private func read(_ file: StoredFile, replacing replaced: ReplacedFiles, isUpdate: Bool) {
        onDisk {
            do throws(FileSystemError) {
                // A cancelled attempt reports nothing.
                guard let right = try self.rightBytes(of: file) else {
                    return self.end(with: file, update: isUpdate ? .unchanged : nil)
                }
                let source = RightBytes(ranges: right, file: try self.directory.open(file), entity: file.entity)
                self.open(replacing: replaced, with: [source])
            } catch {
                self.fail(with: DownloadError(error))
            }
        }
    }

    /// Whether another process or manager has finished the file since this attempt began: unnamed files are invisible
    /// to others. Then this attempt's bytes are useless, and would look like a part of an update.
    var isFinishedByAnother: Bool {
        let wanted = download.wanted
        if control.withLock({ $0.replaces }) || wanted.isProvable { return false }
        // If it is unknown, the bytes are kept.
        guard let file = (try? directory.finishedFile(request.claim)) ?? nil else {
            return false
        }
        return wanted.accepts(size: file.size)
    }

    /// The same, for the part of an earlier attempt.
    private func removeOwnPart() {
        // If it stays, the next update removes it.
        guard let owner = manager.ownership.owner,
            let part = (try? directory.partialFile(request.claim)) ?? nil, part.owner == owner
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
            return fail(with: DownloadError(error))
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
                guard let found = control.withLock({ $0.finished }), try directory.finishedFile(request.claim) == found
                else {
                    // The file was removed while the server was asked.
                    control.withLock { $0.finished = nil }
                    if download.enqueuedRequest.asksOnly { return finishedFileIsGone() }
                    return handle(file) { $0.finishedFileIsGone() }
                }
                finished = found
            } catch {
                return close(file, .failed(FetchFailure(DownloadError(error))))
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
            return try directory.anyFile(request.claim) != nil
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
