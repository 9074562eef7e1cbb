import SpateFileSystemCalls
import SpateHTTPResumption
import SpateHTTPSyntax
import SpateLocking
import SpatePacing
import SpatePartialFiles

/// The end of an attempt: checks the complete file, syncs it and renames it, or closes the partial file.
extension Attempt {
    /// The file is complete.
    func complete(_ file: PartialFile, size: Int64) {
        notePaceOfEnd()
        if let reader = control.withLock({ $0.machine.pieces?.reader }) { return settle(reader, file, size: size) }
        checkWhole(file, size: size)
    }

    private func notePaceOfEnd() {
        let feed = manager.feed
        guard feed.pacer.isAutomatic else { return }
        let (sent, isKnown, host) = control.withLock {
            ($0.machine.sent, $0.machine.held.total != nil, $0.machine.first.route.address.origin)
        }
        feed.pacer.ended(at: host, sent: began + sent - feed.start, isKnown: isKnown, in: feed)
    }

    /// Every piece is right, if it has any.
    func checkWhole(_ file: PartialFile, size: Int64) {
        let (checksum, hasDiskQueue) = control.withLock { ($0.machine.checksum, $0.disk != nil) }
        if let expected = checksum.expected, let digest = checksum.digest {
            return digest.finish(size: size, while: { !self.isStopping }) { found in
                self.onDisk { self.digested(file, size: size, expected, found) }
            }
        }
        // In memory this takes no longer than handing it to another thread.
        if file.isInMemory, !hasDiskQueue { return publish(file, size: size) }
        returnSlot(file, size: size)
        onDisk { self.publish(file, size: size) }
    }

    /// The file waits for the disk now: another download may use the slot and the connection.
    private func returnSlot(_ file: PartialFile, size: Int64) {
        if file.isInMemory { return }
        giveBackRedirectLease()
        let load = DiskQueue.Load(unsyncedBytes: size - file.durable.count, descriptors: hasOwnFolder ? 3 : 1)
        operation.waitForDisk(load) { download.handle(.attemptWaitsForDisk(number)) }
    }

    /// Whether its folder is probably open for this file alone: there may be as many folders as files.
    private var hasOwnFolder: Bool { request.claim.root != nil }

    private func digested(
        _ file: PartialFile,
        size: Int64,
        _ expected: ExpectedChecksum,
        _ found: Result<Checksum?, FileSystemError>
    ) {
        switch found {
        case .success(expected.checksum):
            returnSlot(file, size: size)
            // The record has the checksum that the URL's own server stated.
            let isStored = expected.field != nil && mirror == nil
            publish(file, size: size, checksum: isStored ? nil : expected.checksum.description)
        case .success(let found?):
            let isGiven = download.enqueuedRequest.checksum != nil
            var error = DownloadError.otherChecksum(found: found, expected, isGiven: isGiven)
            let (isWorthATry, actions) = control.withLock {
                $0.machine.dropWrongFile(isStated: expected.field != nil)
            }
            error.isRetryable = isWorthATry
            perform(actions, file)
            close(file, .failed(FetchFailure(error)))
        case .success(nil):
            let error = DownloadError.missingDigest(expected.checksum.algorithm)
            close(file, isStopping ? .cancelled : .failed(FetchFailure(error)))
        case .failure(let error): close(file, .failed(FetchFailure(DownloadError(error))))
        }
    }

    // MARK: With a final file

    /// - Parameter checksum: the checksum to keep with the file.
    private func publish(_ file: PartialFile, size: Int64, checksum: String? = nil) {
        let (response, remarks, isUpdate) = control.withLock { control in
            (control.machine.response, control.machine.remarks, self.isUpdate(control))
        }
        // Once the file has its name, its record has that one.
        let stated = request.naming == .stated ? file.notes.name : nil
        do throws(FileSystemError) {
            guard let path = try giveFinalName(to: file, size: size, checksum) else { return close(file, .cancelled) }
            if request.naming == .stated { directory.noteStatedFile(path.name, of: request.url) }
            file.deleteOtherParts(isWanted: download.hasMirrors)
            let update: DownloadUpdate? = isUpdate ? .updated : nil
            let end = FinishedAttempt(
                path: path,
                size: size,
                response: response,
                remarks: avoidedName(instead: path.name, stated: stated).map { remarks + [.nameTaken($0.text)] }
                    ?? remarks,
                update: update
            )
            if file.isInMemory {
                do throws(FileSystemError) {
                    try file.checkFolder()
                    report(end)
                } catch {
                    lost(file, error)
                }
                return finish()
            }
            download.isPublished(by: number)
            // The operation ends before the download: small files share a sync of the folder instead of waiting for one
            // each. Files with a folder each cannot share it, and what waits must not have all of them open.
            if !hasOwnFolder { finish() }
            // This retains the attempt and so the manager, which would otherwise cancel its downloads.
            file.whenFinalNameIsSynced { [self] failure in
                if let failure { lost(file, failure) } else { report(end) }
                if hasOwnFolder { finish() }
            }
        } catch {
            close(file, .failed(FetchFailure(DownloadError(error))))
        }
    }

    /// The file has its final name, but its folder was moved meanwhile, or a power cut may take the name away. In the
    /// second case, the next attempt finds the file and syncs its name.
    private func lost(_ file: PartialFile, _ error: FileSystemError) {
        download.handle(.attemptDidNotPublish(number))
        let error = error.operation == .find ? .folderMoved(error, file.movedPath) : DownloadError(error)
        report(.failed(error, FailedAttempt(reached: 0, download.history)))
    }

    /// Returns the final path, or `nil` if the attempt was cancelled.
    private func giveFinalName(
        to file: PartialFile,
        size: Int64,
        _ checksum: String?
    ) throws(FileSystemError) -> FinalPath? {
        let isStated = try chooseFinalName(for: file)
        let replaced: ReplacedFiles = request.replacesExisting ? isStated ? .changed : .all : .none
        var turnsLeft = 5
        while true {
            try file.prepareToPublish(size: size, checksum: checksum)
            do throws(FileSystemError) {
                return try download.publish(of: number) { () throws(FileSystemError) in
                    try file.publish(replacing: replaced)
                }
            } catch  where error.kind == .alreadyExists && !isUpdate && turnsLeft > 0 {
                // A stranger or another process took the name meanwhile. An update keeps its name.
                turnsLeft -= 1
                guard try chooseFreeName(for: file, isStated: isStated) else { throw error }
            }
        }
    }

    // MARK: Without one

    func end(_ file: PartialFile, _ end: AttemptEnd) {
        var end = end
        if case .failed(var failure) = end, let suspicion = failure.suspicion, areBlamed(suspicion) {
            control.withLock { $0.machine.goesOnAlone() }
            failure.error.isRetryable = true
            end = .failed(failure)
        }
        // What is proven by then is kept.
        if let reader = control.withLock({ $0.machine.pieces?.fault == nil ? nil : $0.machine.pieces?.reader }) {
            return reader.settle { [end] _ in self.onDisk { self.close(file, end) } }
        }
        hasDiskQueue ? onDisk { [end] in self.close(file, end) } : close(file, end)
    }

    private func areBlamed(_ suspicion: (host: HTTPOrigin, time: FetchMachine.Time)) -> Bool {
        lessons.withLock { $0.blameHelpers(suspicion.host, now: began + suspicion.time) }
    }

    func close(_ file: PartialFile, _ end: AttemptEnd) {
        var end = end
        if let error = file.syncFailure ?? control.withLock({ $0.machine.syncFailure }) {
            file.dropUnsynced()
            end = .failed(FetchFailure(DownloadError(error)))
        }
        keepProven(file)
        let part = if case .failed = end { part(file) } else { FailedAttempt.Part?.none }
        let reached = keep(file)
        switch end {
        case .cancelled where givesWay: wait(for: operation.host, keepsBytes: reached > 0)
        case .cancelled: finish()
        case .waits(let host): wait(for: host, keepsBytes: reached > 0)
        case .failed(let failure):
            if let address = failure.failedAddress { avoid(address) }
            if let host = failure.turnedAwayBy { manager.feed.pacer.turnedAway(by: host, in: manager.feed) }
            var end = FailedAttempt(reached: reached, history)
            end.found = control.withLock { $0.machine.bytes.foundCount }
            (end.retryAfter, end.isFutile, end.part) = (failure.retryAfter, failure.isFutile, part)
            end.hasNoSuchName = failure.hasNoSuchName
            fail(with: failure.error, end)
        }
    }

    /// The download waits again, in line like any other. So its operation ends before it stands there.
    private func wait(for host: HTTPOrigin, keepsBytes: Bool) {
        giveBackRedirectLease()
        report(.waits(host, history, keepsBytes: keepsBytes))
        // If the attempt was abandoned, nothing was told.
        finish()
    }

    /// The part that a mirror may continue; `nil` if the attempt has another file.
    private func part(_ file: PartialFile) -> FailedAttempt.Part? {
        if beginsAnew { return nil }
        if file.filled.isEmpty { return .nothing }
        if pieces != nil { return .joinable }
        let hasChecksum = download.wanted.checksum != nil
        let held = file.held.elsewhere(hasChecksum: hasChecksum, isProtected: true)
        return held.canBeContinuedElsewhere ? .joinable : .fixed
    }

    /// Closes the file, and removes it if there is nothing to keep. Returns how much is kept.
    private func keep(_ file: PartialFile) -> Int64 {
        let keeps = !download.isDeleted && file.keep() && !isFinishedByAnother
        let reached = keeps ? file.filled.count : 0
        if reached == 0 { try? file.delete() } else { download.claimFile(for: manager.ownership, file.claim) }
        file.close()
        // If the download ended meanwhile, its file was still locked then.
        if reached > 0 { download.releaseFileIfEnded() }
        return reached
    }

    /// - Parameter end: `nil` if no bytes were fetched.
    func fail(with error: DownloadError, _ end: FailedAttempt? = nil) {
        var (error, end) = (error, end ?? FailedAttempt(reached: 0, history))
        // What an attempt has not opened stays as it was.
        let isOpened = control.withLock { $0.file != nil }
        error.keptPartialFile = isOpened ? end.reached > 0 : download.keepsPartialFile
        if isUpdate { error.add("The file from before stays as it is.") }
        end.staysAtOrigin = !download.wanted.isProvable && replacesFinishedFile
        report(.failed(error, end))
        finish()
    }

    /// Nothing is left to do.
    func finish() {
        giveBackRedirectLease()
        operation.finish()
    }
}
