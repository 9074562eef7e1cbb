import Foundation
import SpateHTTPResumption
import SpateHTTPSyntax
import SpateHTTPTransport
import SpateHosts
import SpateLocking
import SpatePartialFiles
import SpateTiming

/// Fetches the Metalink that a response has named, into memory. It has one try: the file can do without.
///
/// It uses the attempt's slot and its connection, whose response has been stopped, so it waits for no other download.
final class MetalinkFetch: TransportSink {
    enum End {
        case document(Data, from: HTTPURL)
        case failed(String)
        /// The host has no room.
        case waits(HTTPOrigin)
        case cancelled
    }

    private struct State {
        var route: RequestRoute
        var isRedirected = false
        var document = Data()
        /// The number of the present request.
        var request = 0
        var transfer: (any Transfer)?
        /// Why it ends, before its transfer has ended.
        var end: End?
        var completion: (@Sendable (End) -> Void)?
    }

    private static let mostBytes = 32 << 20
    /// A server that sends a byte now and then is never silent.
    private static let longest = Duration.seconds(60)

    private let attempt: Attempt
    private let requests: FetchRequest
    private let state: Locked<State>

    /// - Parameter completion: called once.
    init(
        _ link: MetalinkLink,
        _ attempt: Attempt,
        _ requests: FetchRequest,
        _ completion: @escaping @Sendable (End) -> Void
    ) {
        (self.attempt, self.requests) = (attempt, requests)
        state = Locked(State(route: link.route, completion: completion))
    }

    func begin() {
        attempt.runtime.after(Self.longest) { [weak self] in
            self?.stop(because: .failed("It takes longer than a minute."))
        }
        send()
    }

    func cancel() { stop(because: .cancelled) }

    private func stop(because end: End) {
        let transfer = state.withLock { state in
            state.end = state.end ?? end
            return state.transfer
        }
        // Without a transfer, the next step ends it.
        transfer?.cancel()
    }

    private func send() {
        let (url, number, isOver) = state.withLock { state in
            (state.request, state.isRedirected) = (state.request + 1, false)
            return (state.route.address, state.request, state.end != nil)
        }
        if isOver { return finish(.cancelled) }
        guard attempt.mayAsk(url.origin) else { return finish(.failed("Its host \(url.host) has asked to wait.")) }
        let lease = attempt.control.withLock { $0.machine.first.lease }
        guard attempt.mayConnect(to: url.origin, with: lease) else { return finish(.waits(url.origin)) }
        let request = requests.transportRequest(for: .whole, until: nil, at: url)
        let transfer = attempt.manager.surroundings.transport.start(request, sink: self)
        let isUnwanted = state.withLock { state in
            // It may have ended meanwhile.
            if state.request == number { state.transfer = transfer }
            return state.end != nil
        }
        if isUnwanted { transfer.cancel() }
    }

    private func finish(_ end: End) {
        let (completion, first) = state.withLock { ($0.completion.take(), $0.end) }
        completion?(first ?? end)
    }

    // MARK: Its transfer

    func receive(head: ResponseHead) -> BodyDisposition {
        if head.status == 200 { return .deliver }
        do throws(DownloadError) {
            if RedirectRules.isRedirect(head.status) {
                try follow(head)
            } else {
                throw refused(head)
            }
        } catch {
            state.withLock { $0.end = $0.end ?? .failed(error.message) }
        }
        return .discard
    }

    private func follow(_ head: ResponseHead) throws(DownloadError) {
        let redirects = attempt.control.withLock { $0.machine.redirects }
        try state.withLock { state throws(DownloadError) in
            try state.route.follow(head, by: redirects)
            state.isRedirected = true
        }
    }

    /// Notes how long the host asks to wait: the file may be there, too.
    private func refused(_ head: ResponseHead) -> DownloadError {
        let (route, manager) = (state.withLock { $0.route }, attempt.manager)
        let now = attempt.runtime.wallClock().components.seconds
        let wait = RetryAfter.wait(head, now: now, maximum: RetryAfter.longest).map { Duration.seconds($0) }
        let fault = ResponseFault(head.status < 400 ? .unexpectedStatus(head.status) : .status(head.status))
        let longest = manager.configuration.retry.longestWait
        if let refusal = HostRestraint.Refusal(fault, at: route.address, wait: wait.map { min($0, longest) }) {
            manager.feed.note(refusal, at: [refusal.host])
        }
        return DownloadError(fault, at: route.elsewhere)
    }

    func receive(bytes: UnsafeRawBufferPointer, isLast: Bool) -> Bool {
        state.withLock { state in
            guard state.end == nil else { return false }
            state.document.append(contentsOf: bytes)
            if state.document.count > Self.mostBytes {
                state.end = .failed("It has more than \(Self.mostBytes >> 20) MiB.")
            }
            return state.end == nil
        }
    }

    func end(_ end: TransferEnd) {
        let (route, document, isRedirected) = state.withLock { state in
            (state.transfer, state.request) = (nil, state.request + 1)
            return (state.route, state.document, state.isRedirected)
        }
        switch end {
        case _ where isRedirected: send()
        // A document that is cut off is not well-formed.
        case .complete, .unproven, .needsHTTP1: finish(.document(document, from: route.address))
        case .failed(let error): finish(.failed(DownloadError(error, route.address, at: route.elsewhere).message))
        case .cancelled, .stopped: finish(.cancelled)
        }
    }
}

extension Attempt {
    /// Reads the Metalink that a response has named, then sends the request again.
    func readMetalink(_ link: MetalinkLink, _ file: PartialFile) {
        guard let requests = control.withLock({ $0.requests }) else { return }
        let fetch = MetalinkFetch(link, self, requests) { [self] end in
            afterWait { self.goOn(into: file, by: requests, after: link, end) }
        }
        wait(for: fetch.begin, endingBy: fetch.cancel)
    }

    private func goOn(
        into file: PartialFile,
        by requests: FetchRequest,
        after link: MetalinkLink,
        _ end: MetalinkFetch.End
    ) {
        switch end {
        case .document(let document, let source):
            report(.metalink(ServerMetalink(document, from: source, at: link, of: request.url, download.wanted)))
        case .failed(let reason): report(.metalink(.unusable(reason)))
        case .waits(let host): return self.end(file, .waits(host))
        case .cancelled: return self.end(file, .cancelled)
        }
        fetchAgain(into: file, by: requests)
    }
}
