import Foundation
import SpateHTTPResumption
import SpateLocking

extension Download {
    /// The enqueued request.
    ///
    /// A restored download has the values of its stored record. The URL with its user and password, the headers, the
    /// private headers and the client certificate come from the first request that joined it.
    public var request: DownloadRequest {
        guard isRestored, let (sender, url) = core.withLock({ $0.joined }) else { return enqueuedRequest }
        var request = enqueuedRequest
        (request.url, request.headers, request.privateHeaders) = (url, sender.headers, sender.privateHeaders)
        request.clientCertificate = sender.certificate
        return request
    }
}

/// Requests for the URL of a known download.
extension Download {
    enum Joining {
        case joined
        /// The download has ended.
        case ended
        /// The request must not share the download.
        case refused(RequestDifferences)
    }

    /// Adds a caller that enqueued the same URL.
    func join(_ request: DownloadRequest, _ valid: ValidRequest, _ observer: (any DownloadObserver)?) -> Joining {
        guard let known = self.valid else { return .ended }
        let sender = RequestSender(request, valid.url)
        let files = fileDifferences(known, request, valid)
        if isRestored, files.isEmpty { takeOver(sender, of: request.url) }
        var differences = RequestDifferences()
        differences.compare(self.sender(of: known), sender)
        differences.add(files)
        if differences.isEmpty {
            core.withLock { core in
                core.machine.sources.add(
                    mirrors: valid.mirrors,
                    isVerified: WantedFile(enqueuedRequest, core.serverMetalink.file).isProvable,
                    isNamed: true
                )
                // Without mirrors nobody had to know it.
                if core.machine.sources.mirror == nil { core.machine.noteOriginTotal(core.meter.totalBytes) }
            }
            let joining = join(observer)
            if case .joined = joining, let limit = request.maxBytesPerSecond { maxBytesPerSecond = limit }
            return joining
        }
        return hasEnded ? .ended : .refused(differences)
    }

    /// How the file of a request for its URL differs from its own.
    private func fileDifferences(
        _ known: ValidRequest,
        _ request: DownloadRequest,
        _ valid: ValidRequest
    ) -> RequestDifferences {
        var differences = RequestDifferences()
        differences.compare(known, valid, isRestored: isRestored)
        differences.compare(
            JoiningRequest(
                known: enqueuedRequest,
                wanted: request,
                isRestored: isRestored,
                total: { self.core.withLock { $0.meter.totalBytes } },
                keepsServerTime: manager?.configuration.keepsServerTime ?? false
            )
        )
        return differences
    }

    /// Whether it fetches the file of this request for its URL, whatever that sends. False if the request is invalid.
    func fetchesFile(of request: DownloadRequest, in configuration: ValidConfiguration) -> Bool {
        guard let known = valid else { return false }
        // Most are made for the request.
        if enqueuedRequest.hasOptions(of: request) { return true }
        guard let valid = try? ValidRequest(request, in: configuration) else { return false }
        return fileDifferences(known, request, valid).isEmpty
    }

    /// Adds a caller, whatever it requested.
    ///
    /// - Parameter resumes: whether to resume a paused download.
    func join(_ observer: (any DownloadObserver)?, resumes: Bool = true) -> Joining {
        let hasJoined = core.withLock { core in
            if core.machine.hasEnded { return false }
            if let observer { core.observers.append(observer) }
            core.callers += 1
            return true
        }
        // A new caller wants the file, even if another caller paused it before.
        if hasJoined, resumes { handle(.join) }
        return hasJoined ? .joined : .ended
    }

    /// A caller no longer wants the download. If nobody else uses it, it is cancelled.
    func withdraw() {
        perform { core in
            core.callers -= 1
            return core.callers > 0 || core.observers.contains(where: \.isUse) ? [] : core.handle(.cancel)
        }
    }

    /// What its attempts send. A restored download has it from the first request that joined.
    func sender(of request: ValidRequest) -> RequestSender {
        if isRestored, let joined = core.withLock({ $0.joined }) { return joined.sender }
        return RequestSender(enqueuedRequest, request.url)
    }

    /// Takes the headers and URL of the first request that joins a restored download.
    private func takeOver(_ sender: RequestSender, of url: URL) {
        perform { core in
            guard core.joined == nil, !core.machine.hasEnded else { return [] }
            core.joined = (sender, url)
            guard core.machine.isRunning, !sender.isEmpty else { return [] }
            // The running attempt has sent none of this, and may be refused for it. Another takes its place.
            return core.handle(.pause) + core.handle(.resume)
        }
    }
}
