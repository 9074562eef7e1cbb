import Foundation
import Spate

/// What must hold in a world.
extension World {
    // MARK: When something is told

    func noteFinished(_ download: Download, at file: URL) {
        let path = file.path
        timeline.note("\(shown(download)) is told finished at \(file.lastPathComponent)")
        // What came before this takes nothing away from what is promised now.
        checkHarm()
        guard let content = disk.file(path) else {
            if isRemovedByOthers(path, of: download.url) { return }
            fail("\(shown(download)) is told finished, and \(faultOfMovedFile(path) ?? "there is no file")")
            return
        }
        if isReplacedByOthers(path) {
            promised[path] = nil
            return
        }
        check(content, of: download, at: path)
        let request = download.request
        if isProven(content, for: request), isRecorded(path, of: request.url) { disk.handOver(path, to: lastProcess) }
        // Compared as bytes: Swift takes two Unicode forms of a name for one.
        if let folder = request.directory?.path, !path.utf8.starts(with: folder.utf8) {
            fail("\(shown(download)) is told finished at \(path), which is not in \(folder)")
        }
        let mayBeRemoved = !jobsAreWhole && isJustRevoked(download.url)
        // A file that was there may be another's, and is promised to nobody.
        if !request.skipsExistingFile {
            // The other form would be the same key.
            promised[path] = mayBeRemoved || !path.utf8.allSatisfy { $0 < 0x80 } ? nil : request.url
        } else if request.replacesExistingFile {
            promised[path] = nil
        }
    }

    /// Whether a user or an outsider has removed a file before anybody was told that it is finished.
    private func isRemovedByOthers(_ path: String, of url: URL) -> Bool {
        if isJustRevoked(url) { return true }
        guard let last = lastChange(of: path) else { return false }
        return last.actor.isOutsider || revoked[url].map { $0 >= last.time } ?? false
    }

    /// Whether another file has replaced a file before its end was reported: an outsider's, or the file of a request
    /// that may replace any other.
    private func isReplacedByOthers(_ path: String) -> Bool {
        guard let last = lastChange(of: path), timeline.now - last.time <= tellingTime else { return false }
        if case .replaced = last.kind, !jobsAreWhole, overwritten.contains(path) { return true }
        return last.actor.isOutsider
    }

    /// What a path, or a folder above it, lost last.
    private func lastChange(of path: String) -> DiskChange? {
        disk.changes.last { path == $0.path || path.hasPrefix($0.path + "/") }
    }

    func isJustRevoked(_ url: URL) -> Bool { revoked[url].map { timeline.now - $0 <= tellingTime } ?? false }

    /// How long after something has happened it may still be told. Jobs that are not whole may come between.
    var tellingTime: Duration { jobsAreWhole ? .zero : .seconds(1) }

    /// A user deletes what there is of a URL, or replaces it; of all URLs if it is `nil`.
    func revokePromises(of url: URL?) {
        for url in url.map({ [$0] }) ?? urls {
            revoked[url] = timeline.now
            noteNotFailed(url)
        }
        promised = promised.filter { url != nil && $0.value != url }
    }

    // MARK: Files

    /// Whether the checksum or the pieces of a request prove a file. Then it is Spate's, whoever made it.
    private func isProven(_ content: FileContent, for request: DownloadRequest) -> Bool {
        request.checksum.map { proven[$0]?.isSame(as: content) == true }
            ?? (request.metalink != nil
                && provenByPieces[request.url, default: []].contains { $0.isSame(as: content) })
    }

    private func check(_ content: FileContent, of download: Download, at path: String) {
        let request = download.request
        let isProvable = request.checksum != nil || request.metalink != nil
        if isProvable ? altered.contains(request.url) : isAltered(request.url) { return }
        if let expected = request.expectedBytes, expected != content.size {
            fail("\(shown(download)): \(content.size) bytes, where \(expected) are expected")
        }
        if let most = request.maximumBytes, content.size > most {
            fail("\(shown(download)): \(content.size) bytes, where at most \(most) are wanted")
        }
        if let checksum = request.checksum, proven[checksum]?.isSame(as: content) != true {
            fail("\(shown(download)): \(content.size) bytes with another checksum than \(checksum)")
        }
        if request.metalink != nil,
            !provenByPieces[request.url, default: []].contains(where: { $0.isSame(as: content) })
        {
            fail("\(shown(download)): \(content.size) bytes with other pieces than its Metalink says")
        }
        // It may be any file of that name.
        if !request.skipsExistingFile { check(content, of: request.url, at: path) }
    }

    private func isAltered(_ url: URL) -> Bool { altered.contains(url) || damaged.contains(url) }

    private func check(_ content: FileContent, of url: URL, at path: String) {
        guard isHonest, !isAltered(url) else { return }
        let mirrors = network.file(at: url.absoluteString)?.mirrors.map(\.url) ?? []
        let known = network.contents(of: url.absoluteString, orAt: mirrors)
        if !known.contains(where: { $0.isSame(as: content) }) {
            fail("\(shown(url)): \(content.size) bytes at \(path) that are no version of it")
        }
    }

    /// What is wrong about the result of a verification: a file is bad only if somebody made it so.
    ///
    /// - Parameters:
    ///   - isOnline: whether its server was asked.
    ///   - start: when the verification began.
    func fault(of result: VerificationResult, at file: URL, isOnline: Bool, since start: Duration) -> String? {
        let isAnswer = isOnline && [.outdated, .failed].contains(result.state)
        if isUndisturbed, result.isBad, !isAnswer { return "it is \(result.state), and nobody did that" }
        if let url = result.url, let isCurrent = result.isCurrent,
            let fault = fault(ofAnswer: isCurrent, about: url, at: file, since: start)
        {
            return fault
        }
        switch result.state {
        case .outdated where !isOnline || result.isCurrent != false: return "nobody asked its server"
        case .damaged:
            guard let url = result.url, urls.contains(url), !isAltered(url) else { return nil }
            return "it is damaged, and nobody has altered it"
        case .verified where result.checksum != result.expectedChecksum: return "it has another checksum"
        case .verified, .sizeOnly: return result.size == result.expectedSize ? nil : "it has another size"
        case .missing: return "nobody asked for it"
        case .changed, .outdated, .partial, .running, .failed: return nil
        }
    }

    /// What is wrong about the answer of a server that has only ever had one version, and does nothing strange.
    private func fault(ofAnswer isCurrent: Bool, about url: URL, at path: URL, since start: Duration) -> String? {
        // At the end the faults have gone that answers may have had.
        guard !isEnding, let served = network.file(at: url.absoluteString), served.faults.isEmpty,
            served.versions.count == 1, !isAltered(url), let content = disk.file(path.path),
            let version = served.versions.first
        else { return nil }
        // The answer is about the file that was there when the server was asked.
        if let last = lastChange(of: path.path), last.time >= start { return nil }
        let isSame = version.content.isSame(as: content)
        return isSame == isCurrent ? nil : "its server is told to have \(isCurrent ? "this" : "another") version"
    }

    func checkPromises(after event: String) {
        // All of it goes with the power.
        if traits.disk.kind == .tmpfs { return }
        for (path, url) in promised.sorted(by: { $0.key < $1.key }) {
            guard let content = disk.file(path) else {
                fail("\(shown(url)) is gone from \(path) after \(event)")
                continue
            }
            // Of some files nothing but this says what they are.
            check(content, of: url, at: path)
        }
    }

    /// Every file under a final name is a version of what it says that it is.
    func checkFiles() {
        for path in disk.files(below: Self.top) where !path.contains(".part") {
            guard let origin = disk.attributes(of: path)?[Self.originAttribute], let url = URL(string: origin),
                urls.contains(url), let content = disk.file(path)
            else { continue }
            check(content, of: url, at: path)
        }
    }

    // MARK: What is another's

    /// Files that have nothing to do with Spate, one of them under the name of a URL.
    func plantStrangersFiles() {
        guard traits.hasStrangers else { return }
        disk.makeFolder(Self.folder)
        for name in ["notes.txt", "notes.txt.part"] + urls.prefix(1).map(\.lastPathComponent) {
            disk.plant(Self.folder + "/" + name, Array("a stranger's".utf8))
            disk.sync(Self.folder + "/" + name)
        }
    }

    /// Looks at what has happened since the last look.
    func checkHarm() {
        for change in disk.changes[checkedChanges...] {
            if case .resumedAfterLoss = change.kind { noteAlteration(of: change.path) }
            if case .replaced = change.kind, mayReplace(change.path) {
                // Whether or not the download that did it is told finished.
                promised[change.path] = nil
                continue
            }
            guard change.isHarm else { continue }
            fail("\(change.kind) at \(change.path), which is another's")
        }
        checkedChanges = disk.changes.count
    }

    private func mayReplace(_ path: String) -> Bool {
        if overwritten.isEmpty { return false }
        // Its folder may have been renamed since.
        let former = moved.filter { path.hasPrefix($0.target + "/") }
            .map { $0.folder + path.dropFirst($0.target.count) }
        return ([path] + former).contains(where: isOverwritten)
    }

    private func isOverwritten(_ path: String) -> Bool {
        // A name that is taken by a folder gets the URL's hash.
        if overwritten.contains(path) { return true }
        guard path.hasSuffix(".bin"), let dash = path.utf8.lastIndex(of: UInt8(ascii: "-")) else { return false }
        let hash = path[dash...].dropFirst().dropLast(4)
        return (8...16).contains(hash.utf8.count) && overwritten.contains("\(path[..<dash]).bin")
    }
}
