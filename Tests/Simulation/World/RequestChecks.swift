import Foundation
import Spate

/// Who wants something at once: what a user has resumed may be asked for although its host has asked to wait.
struct Impatience: Hashable {
    let process: pid_t
    let url: URL
}

/// What must hold of the requests that have been sent since the last look.
extension World {
    func checkRequests() {
        guard network.requests.count > checkedRequests else { return }
        for request in network.requests[checkedRequests...] {
            checkQuiet(request)
            checkConnections(request)
            noteMeetings(request)
            if request.isStray {
                fail("request \(request.number) went to \(request.address ?? ""), which is not its host")
            }
        }
        checkedRequests = network.requests.count
    }

    /// The URL that a request is for, also at a mirror and where redirects lead.
    func url(of request: NetworkRequest) -> URL? {
        guard let file = network.file(at: request.url) else { return nil }
        return URL(string: (file.original ?? file).url)
    }

    // MARK: Retry-After

    func noteImpatience(for urls: [URL], in process: SimulatedProcess) {
        for url in urls { impatient[Impatience(process: process.number, url: url)] = timeline.now }
    }

    func endImpatience(for url: URL, in process: SimulatedProcess) {
        checkRequests()
        let impatience = Impatience(process: process.number, url: url)
        // The end of an attempt may be told after the wish that leads to the next.
        if let since = impatient[impatience], timeline.now - since > tellingTime { impatient[impatience] = nil }
    }

    private func checkQuiet(_ request: NetworkRequest) {
        guard request.isTooEarly, let end = request.quietUntil,
            let wait = request.quietCause.flatMap({ network.requests[$0].retryAfter })
        else { return }
        // No manager knows what hosts have said to another.
        if managerCounts[request.process] != 1 { return }
        // Nobody waits longer than the policy allows.
        let (heard, longest) = (end - wait, min(wait, traits.retry.maximumRetryAfter))
        guard request.time < heard + longest, let url = url(of: request) else { return }
        // Who is about to ask may not have heard of it.
        if !jobsAreWhole, request.time <= heard + tellingTime { return }
        if impatient[Impatience(process: request.process, url: url)] != nil { return }
        fail("request \(request.number) came before its host's Retry-After was over")
    }

    // MARK: Connections to a host

    private func checkConnections(_ request: NetworkRequest) {
        guard isQuiet, let limit = traits.connectionsPerHost, managerCounts[request.process] == 1 else { return }
        let open = network.runningRequests(of: request.process).filter { other in
            // After a redirect, some connections count for the redirecting host.
            guard other.origin == request.origin, let file = network.file(at: other.url) else { return false }
            return file.url == other.url.prefix { $0 != "?" } && !file.mayRedirect
        }
        if open.count > limit { fail("\(open.count) connections to \(request.origin), where \(limit) may be") }
    }

    // MARK: Who may still be asked

    /// S36: a host that bans a client because of its second connection is asked once more with one.
    ///
    /// - Parameter first: the number of the first request of the download since it was paused last.
    func checkBan(_ download: Download, _ error: DownloadError, since first: Int, in process: SimulatedProcess) {
        // A second manager has connections of its own.
        guard jobsAreWhole, error.statusCode == 403, !error.isRetryable, traits.retry.maxRetriesWithoutProgress > 0,
            !traits.prepares,
            managerCounts[process.number] == 1
        else { return }
        let requests = network.requests[first...].filter { $0.process == process.number && url(of: $0) == download.url }
        guard let last = requests.last, last.refusal == .banForHelpers, last.status == 403, !last.isHelper,
            let file = network.file(at: last.url), file.original == nil, !file.mayRedirect, !file.has(.signatures)
        else { return }
        // A mirror's second connections are nothing to this host.
        let helpers = requests.filter { $0.isHelper && $0.origin == last.origin }
        if helpers.contains(where: { timeline.now - $0.time < .seconds(9) }) {
            fail("\(shown(download)) has failed because of its second connection")
        }
    }

    /// Rule 103: what its own URL has begun to send is not given up for a mirror's before that URL was asked again.
    ///
    /// - Parameter first: the number of the first request of the download.
    func checkMirrors(of download: Download, at file: URL, since first: Int, in process: SimulatedProcess) {
        let request = download.request
        guard jobsAreWhole, request.checksum == nil, request.metalink == nil, request.expectedBytes == nil,
            request.maximumBytes == nil, !request.usesServerMetalink,
            isUndisturbed, traits.retry.maxRetriesWithoutProgress > 0,
            let content = disk.file(file.path)
        else { return }
        let all = network.requests[first...].filter {
            $0.process == process.number && $0.url.prefix { $0 != "?" } == download.url.absoluteString
        }
        // After malformed chunks it may have failed for good, and so it may after a retry without progress: it has brought as
        // much before.
        guard let own = all.last, own.status == 200, own.bytes > 0, own.isCut, own.end != "malformedChunks",
            own.bytes > all.dropLast().reduce(0, { $0 + $1.bytes })
        else { return }
        if !network.contents(of: download.url.absoluteString).contains(where: { $0.isSame(as: content) }) {
            fail("\(shown(download)) is a mirror's, and its own URL has begun another")
        }
    }

    // MARK: The number of requests

    /// Rule 107: how many requests attempts may send. A redirect that is followed does not count.
    func checkBudget(of download: Download, attempts: Int, since first: Int, in process: SimulatedProcess) {
        guard managerCounts[process.number] == 1 else { return }
        // Those that come in the middle of a call that is refused are of the download that has the URL.
        // So are those that come before a deletion returns, which is told then.
        if attempts == 0, !jobsAreWhole || isJustRevoked(download.url) { return }
        let requests = network.requests[first...].filter {
            $0.process == process.number && url(of: $0) == download.url
        }
        let redirects = requests.count { $0.status.map { (300..<400).contains($0) && $0 != 304 } ?? false }
        let received = requests.reduce(0) { $0 + $1.bytes }
        let connections: Int =
            switch download.request.connections ?? traits.connections {
            case .automatic: 4
            case .exactly(let count): max(1, count)
            }
        // One for each gap, of which there are fewer than pieces. Once it begins again with a Metalink of the server.
        let mayLearn = download.request.usesServerMetalink
        let gaps = download.request.metalink == nil && !mayLearn ? 0 : 21
        let most = (attempts + (mayLearn ? 1 : 0)) * (16 + connections + gaps) + received / (256 * 1_024)
        if requests.count - redirects > most {
            fail("\(requests.count - redirects) requests in \(attempts) attempts for \(shown(download))")
        }
    }
}
