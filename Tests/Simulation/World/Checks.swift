import Foundation
import Spate

/// What must hold in a world.
extension World {
    // MARK: When something is told

    func noteFinished(_ download: Download, at file: URL) {
        let path = file.path
        timeline.note("\(shown(download)) is told finished at \(file.lastPathComponent)")
        // A user may have deleted it in the same moment.
        let mayBeGone = revoked[download.url].map { timeline.now - $0 <= tellingTime } ?? false
        guard let content = disk.content(of: path) else {
            if !mayBeGone { fail("\(shown(download)) is told finished, and there is no file") }
            return
        }
        check(content, of: download.url, at: path)
        if !mayBeGone || timeline.baton == nil { promised[path] = download.url }
    }

    /// How long after something has happened it may still be told. Jobs that are not whole may come between.
    private var tellingTime: Duration { timeline.baton == nil ? .zero : .seconds(1) }

    /// A user deletes what there is of a URL, or replaces it; of all URLs if it is `nil`.
    func revokePromises(of url: URL?) {
        for url in url.map({ [$0] }) ?? urls { revoked[url] = timeline.now }
        promised = promised.filter { url != nil && $0.value != url }
    }

    // MARK: Files

    private func check(_ content: [UInt8], of url: URL, at path: String) {
        guard isHonest else { return }
        let mirrors = network.file(at: url.absoluteString)?.mirrors.map(\.url) ?? []
        let known = network.contents(of: url.absoluteString, orAt: mirrors)
        if !known.contains(where: { $0.isSame(as: content) }) {
            fail("\(shown(url)): \(content.count) bytes at \(path) that are no version of it")
        }
    }

    func checkPromises(after event: String) {
        // All of it goes with the power.
        if traits.disk.kind == .tmpfs { return }
        for (path, url) in promised.sorted(by: { $0.key < $1.key }) where disk.content(of: path) == nil {
            fail("\(shown(url)) is gone from \(path) after \(event)")
        }
    }

    /// Every file under a final name is a version of what it says that it is.
    func checkFiles() {
        for path in disk.files(below: Self.folder) where !path.hasSuffix(".part") {
            guard let origin = disk.attributes(of: path)?["user.xdg.origin.url"], let url = URL(string: origin),
                let content = disk.content(of: path)
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
        }
    }

    func checkHarm() {
        let mayReplace = Set(overwritten.map { Self.folder + "/" + $0.lastPathComponent })
        for change in disk.changes where change.isHarm {
            if case .replaced = change.kind, mayReplace.contains(change.path) { continue }
            fail("\(change.kind) at \(change.path), which is another's")
        }
    }

    // MARK: Secrets

    /// What requests for a URL send as `Authorization`; `nil` if nothing.
    func secret(of url: URL) -> String? {
        guard traits.hasSecrets, let index = urls.firstIndex(of: url), index.isMultiple(of: 2) else { return nil }
        return "secret\(index)"
    }

    func guardSecrets() {
        for url in urls {
            guard let secret = secret(of: url), let file = network.file(at: url.absoluteString) else { continue }
            network.guardSecret(secret, for: [file.host.origin])
        }
    }

    func checkSecrets() {
        for leak in network.leaks { fail("request \(leak.request) had a secret in \(leak.field)") }
        let secrets = urls.compactMap(secret)
        if secrets.isEmpty { return }
        for path in disk.files(below: Self.folder) {
            // Short ones: journals and sidecars.
            let content = disk.content(of: path).map { $0.count < 100_000 ? String(decoding: $0, as: UTF8.self) : "" }
            let text = ([content ?? ""] + (disk.attributes(of: path) ?? [:]).values).joined(separator: " ")
            if secrets.contains(where: text.contains) { fail("a secret is at \(path)") }
        }
    }

    // MARK: Requests

    func checkRequests() {
        for request in network.earlyRequests {
            guard let end = request.quietUntil,
                let wait = request.quietCause.flatMap({ network.requests[$0].retryAfter })
            else { continue }
            if managerCounts[request.process] != 1 { continue }
            // Nobody waits longer than the policy allows, and what a user has resumed is asked for all the same.
            let (heard, longest) = (end - wait, min(wait, traits.retry.maximumRetryAfter))
            if timeline.baton != nil, request.time <= heard + tellingTime { continue }
            if request.time >= heard + longest || impatience.contains(where: { $0 <= request.time }) { continue }
            fail("request \(request.number) came before its host's Retry-After was over")
        }
    }
}
