import HTTPResumption

/// Where the requests for a file go: to its URL first, then where redirects lead.
struct RequestRoute {
    let origin: HTTPURL
    /// Where the next request goes.
    private(set) var address: HTTPURL
    /// The URLs that have redirected this request. Each request has a chain of its own: a signed URL that has expired may
    /// well lead back to where it came from.
    private var earlier: [HTTPURL] = []
    /// How many redirects lie between the origin and `address`.
    private(set) var hop = 0

    init(to origin: HTTPURL) {
        self.origin = origin
        address = origin
    }

    /// Follows a redirect.
    mutating func follow(_ head: ResponseHead, allowsInsecure: Bool) throws(DownloadError) {
        switch RedirectPolicy(allowsInsecure: allowsInsecure).decide(head: head, at: address, after: earlier) {
        case .follow(let target):
            earlier.append(address)
            hop += 1
            address = target
        case .refuse(let fault): throw DownloadError(fault, status: head.status, url: address)
        }
    }

    /// Another request follows, at the same address.
    mutating func beginRequest() {
        earlier = []
    }

    /// Forgets the redirects: the next request goes to where the first went.
    mutating func returnToOrigin() {
        earlier = []
        hop = 0
        address = origin
    }
}
