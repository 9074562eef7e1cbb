import SpateHTTPResumption
import SpateHTTPSyntax

/// Where the requests for a file go: first its URL, then the targets of redirects.
struct RequestRoute {
    let origin: HTTPURL
    /// Where the next request goes.
    private(set) var address: HTTPURL
    /// The URLs that have redirected this request. Each request has its own chain: an expired signed URL may well lead
    /// back to its source.
    private var earlier: [HTTPURL] = []
    /// How many redirects lie between the origin and `address`.
    private(set) var hop = 0
    /// The enqueued URL, if the origin is a prepared one.
    private let enqueued: HTTPURL?
    /// The URL of the download, which is shown beside messages.
    private let download: HTTPURL

    /// - Parameters:
    ///   - enqueued: the enqueued URL, if `origin` was prepared for it.
    ///   - download: the enqueued URL, if `origin` is a mirror of it.
    init(to origin: HTTPURL, preparedFor enqueued: HTTPURL? = nil, mirroring download: HTTPURL? = nil) {
        self.origin = origin
        self.enqueued = enqueued
        self.download = download ?? enqueued ?? origin
        address = origin
    }

    /// The host of the next request, for messages, if it is not the one of the download's URL. A prepared URL may have a
    /// secret in any other part, and so may its redirects.
    var elsewhere: String? {
        let isUsual = address.hasUsualPort
        let isSamePort = address.port == download.port || isUsual && download.hasUsualPort
        if isSamePort, address.host == download.host { return nil }
        let host = address.host.contains(":") ? "[\(address.host)]" : address.host
        return isUsual ? host : "\(host):\(address.port)"
    }

    /// Whether the next request follows a redirect.
    var isRedirect: Bool { !earlier.isEmpty }

    /// Follows a redirect.
    mutating func follow(_ head: ResponseHead, by rules: RedirectRules) throws(DownloadError) {
        switch rules.decide(head: head, at: address, after: earlier) {
        case .follow(let target):
            earlier.append(address)
            hop += 1
            address = target
        case .refuse(let fault): throw DownloadError(shown(fault), status: head.status, at: elsewhere)
        }
    }

    /// The fault for messages and errors, without secrets.
    private func shown(_ fault: RedirectFault) -> RedirectFault {
        guard let enqueued else { return fault }
        let origin = { (target: HTTPURL) in (try? HTTPURL(target.origin.text)) ?? enqueued }
        return switch fault {
        case .insecure(let target): .insecure(origin(target))
        case .notWanted(let target): .notWanted(origin(target))
        case .otherOrigin(let target): .otherOrigin(origin(target))
        case .loop: .loop(enqueued)
        case .missingLocation, .ambiguousLocation, .invalidLocation, .unsupportedScheme, .tooManyHops: fault
        }
    }

    /// The route to another URL, which a response has named.
    func toOther(_ url: HTTPURL) -> RequestRoute { RequestRoute(to: url, preparedFor: enqueued, mirroring: download) }

    /// Another request follows, at the same address.
    mutating func beginRequest() {
        earlier = []
    }

    /// Forgets the redirects: the next request goes where the first went.
    mutating func returnToOrigin() {
        earlier = []
        hop = 0
        address = origin
    }
}

extension HTTPURL {
    fileprivate var hasUsualPort: Bool { port == (scheme == .https ? 443 : 80) }
}
