import SpateFilePaths
import SpateFileSystemCalls
import SpateHTTPResumption
import SpateLocking
import SpatePartialFiles
import SpateTiming

/// The beginning of an attempt: takes the finished file if there is one, or opens the partial file.
extension Attempt {
    /// Opens the file, then sends the first request.
    ///
    /// This thread may also transfer the bytes of other downloads, so it must not wait for a disk. It makes a new file,
    /// if the folder's last file was opened quickly. An existing file is opened on the attempt's own queue.
    func begin() {
        if download.enqueuedRequest.asksOnly { return onDisk { self.ask() } }
        let wanted = download.wanted
        if isFirst, !wanted.replaces, !wanted.takesAnyFile, !beginsAnew, directory.opensQuickly,
            let file = try? timed(makeFile)
        {
            return opened(file, .none)
        }
        onDisk {
            do throws(FileSystemError) {
                try self.look()
            } catch {
                self.fail(with: DownloadError(error))
            }
        }
    }

    private func timed<Result>(_ open: () throws(FileSystemError) -> Result) throws(FileSystemError) -> Result {
        let (directory, start) = (directory, runtime.now)
        defer { directory.noteOpening(took: runtime.now - start) }
        return try open()
    }

    private func makeFile() throws(FileSystemError) -> PartialFile? {
        try directory.makeFile(
            request.claim,
            isOfDocument: download.request.isChosenByDocument,
            isTaken: isTaken
        )
    }

    /// Whether no attempt before it may have left a file.
    private var isFirst: Bool { download.isNew && number == 1 }

    /// - Parameter sources: other files, and what of them is right.
    func open(replacing replaced: ReplacedFiles, with sources: [RightBytes] = []) {
        do throws(FileSystemError) {
            try keepName(replacing: replaced)
            let opening = try timed { () throws(FileSystemError) in
                try directory.open(
                    request.claim,
                    isOfDocument: download.request.isChosenByDocument,
                    isNew: isFirst,
                    isOfMirror: beginsAnew,
                    replacing: replaced,
                    isTaken: isTaken,
                    provenBy: proof
                )
            }
            switch opening {
            case .finished(let file): decide(on: file)
            case .changed(let file): refuse(file)
            case .partial(let file):
                if startsOver, !file.filled.isEmpty { try file.truncate(to: 0) }
                if let kept = control.withLock({ $0.replaced }) { try file.restrictAccess(replacing: kept.name) }
                let proven = try begin(file, with: sources)
                opened(file, replaced, total: file.total, proven: proven)
            }
        } catch {
            fail(with: DownloadError(error))
        }
    }

    /// - Parameters:
    ///   - total: the size of the whole, if the file was there before.
    ///   - proven: the bytes whose pieces have been read.
    func opened(
        _ file: PartialFile,
        _ replaced: ReplacedFiles,
        total: Int64? = nil,
        proven: FilledRanges = FilledRanges()
    ) {
        let filled = file.filled
        control.withLock { control in
            (control.file, control.replaces, control.proven) = (file, replaced != .none, proven)
            // The attempt may end before its request is known.
            if !filled.isEmpty { control.machine.bytes = FetchedBytes(.none, filled, isProtected: false) }
        }
        if mirror == nil, let total { report(.total(total)) }
        if let prepare = manager.configuration.prepare, mirror == nil {
            self.prepare(file, by: prepare)
        } else {
            fetch(into: file, nil)
        }
    }

    /// Sends the first request.
    func fetch(into file: PartialFile, _ prepared: PreparedRequest?) {
        let requests = FetchRequest(self, prepared)
        if let prepared {
            let route = RequestRoute(to: prepared.url, preparedFor: request.url)
            control.withLock { $0.machine.first.route = route }
        }
        guard let certificate = requests.certificate(forMirror: mirror) else { return fetch(into: file, by: requests) }
        // Its files may be on a slow disk.
        onDisk {
            do throws(DownloadError) {
                try certificate.check()
                self.fetch(into: file, by: requests)
            } catch {
                self.close(file, .failed(FetchFailure(error)))
            }
        }
    }

    /// Sends the first request again, because more is known about the wanted file. No body was accepted before.
    func fetchAgain(into file: PartialFile, by requests: FetchRequest) {
        do throws(FileSystemError) {
            // A part of another version.
            if let pieces, let total = file.total, total != pieces.size { try file.truncate(to: 0) }
        } catch {
            return end(file, .failed(FetchFailure(DownloadError(error))))
        }
        fetch(into: file, by: requests)
    }

    private func fetch(into file: PartialFile, by requests: FetchRequest) {
        let wanted = download.wanted
        let (checksum, pieces) = (wanted.checksum, pieces(of: wanted))
        let isProtected = mirror != nil && !beginsAnew
        let (held, filled) = file.held(
            for: mirror,
            hasChecksum: checksum != nil,
            isProtected: isProtected,
            inPiecesOf: pieces?.size
        )
        let reader = pieces.map { PieceReader($0, of: file) }
        let schedule = SyncSchedule(
            losingAtMost: manager.configuration.syncInterval,
            isInMemory: file.isInMemory
        )
        let budget = RequestBudget(connections, found: filled)
        let expected = checksum.map { ExpectedChecksum($0) } ?? held.digest.map { ExpectedChecksum($0) }
        let bytes = FetchedBytes(held, filled, isProtected: isProtected)
        let library = manager.validConfiguration.digests
        let entity = askedAbout
        let asksOnly = download.enqueuedRequest.asksOnly
        let looksForMetalink = mirror == nil && download.looksForMetalink
        let actions = control.withLock { control in
            control.requests = requests
            control.machine.checksum.expect(expected, of: file, by: library)
            if asksOnly, let finished = control.finished {
                control.machine.asked = AskedFile(size: finished.size, entity: finished.entity)
            }
            control.machine.looksForMetalink = looksForMetalink
            let reading = reader.map { control.machine.expect($0, found: filled, proven: control.proven) }
            let next = control.machine.opened(bytes, askedAbout: entity, budget: budget, syncs: schedule)
            return reading.map { $0 + next } ?? next
        }
        perform(actions, file)
    }

    /// From now on the file must have this checksum, from the caller or the server.
    func expect(_ expected: ExpectedChecksum?, _ file: PartialFile) {
        let library = manager.validConfiguration.digests
        control.withLock { $0.machine.checksum.expect(expected, of: file, by: library) }
    }

    /// Whether another download has this name. If not, claims it for this one.
    func isTaken(_ name: FilePath) -> Bool {
        manager.table.withLock { !$0.claim(name, in: request.claim.folder, for: download) }
    }
}
