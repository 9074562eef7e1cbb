import SpateHTTPSyntax
import SpatePartialFiles

/// The parts of a request that are sent besides its URL. Never stored.
struct RequestSender: Sendable {
    var headers: [String: String]
    var privateHeaders: Set<String>
    var credentials: Credentials?
    /// `nil` for an `http` URL.
    var certificate: ClientCertificate?
    /// Whether a document chose the URL. Then this has only what may be sent there.
    var isForDocument = false

    /// Whether nothing is sent.
    var isEmpty: Bool { headers.isEmpty && credentials == nil && certificate == nil }
}

// In an extension, so that the fields are set at once: one by one, the value would be copied at the end.
extension RequestSender {
    init(_ request: borrowing DownloadRequest, _ url: HTTPURL) {
        self.init(
            headers: request.isChosenByDocument ? Self.sentToDocuments(request.headers) : request.headers,
            privateHeaders: request.privateHeaders,
            credentials: url.credentials,
            certificate: url.scheme == .https && !request.isChosenByDocument ? request.clientCertificate : nil,
            isForDocument: request.isChosenByDocument
        )
    }

    /// The headers that may be sent to a URL that a document chose.
    static func sentToDocuments(_ headers: [String: String]) -> [String: String] {
        headers.filter { DownloadRequest.headersForDocuments.contains($0.key.lowercased()) }
    }
}

/// A request for the URL of a known download.
struct JoiningRequest {
    let known: DownloadRequest
    let wanted: DownloadRequest
    /// Whether the known one was found on disk. Then it fetches the server's present file in any case, and its record
    /// says little about its request.
    var isRestored = false
    /// The size of the known one's file, if it is known.
    var total: () -> Int64? = { nil }
    /// What the manager does for requests that do not say it.
    var keepsServerTime = false
}

/// Why two requests for one URL cannot be one download: whoever joined the other one would not get what they asked for.
struct RequestDifferences {
    /// Words for a message. Only names: the values may be secrets.
    private(set) var words: [String] = []

    var isEmpty: Bool { words.isEmpty }

    /// Whether one of the two asks the server about a file that the other one takes as it is, and nothing else differs.
    var areAboutUpdateAlone: Bool { words == [Self.update] }

    static let update = "check for an update"

    init() {}

    mutating func compare(_ first: RequestSender, _ second: RequestSender) {
        add("user or password", if: first.credentials != second.credentials)
        words += Self.names(in: first.headers, otherThanIn: second.headers).map { "header \($0)" }
        let privateNames = [first, second].map { Set($0.privateHeaders.map { $0.lowercased() }) }
        add("client certificate", if: first.certificate != second.certificate)
        add("private headers", if: privateNames[0] != privateNames[1])
    }

    /// - Parameter isRestored: whether the first was found on disk. Then a derived name and the same name as the
    ///   caller's choice are equal.
    mutating func compare(_ first: ValidRequest, _ second: ValidRequest, isRestored: Bool) {
        let (known, wanted) = (first.claim, second.claim)
        let isSameName = known.naming == wanted.naming || isRestored && known.preferred == wanted.preferred
        add("file name", if: !isSameName)
        add("folder", if: known.folder != wanted.folder)
    }

    /// Compares what the known download fetches, and how, with what a second request wants. The other options, such as
    /// its priority, may differ.
    mutating func compare(_ joining: JoiningRequest) {
        if joining.known.hasOptions(of: joining.wanted) { return }
        for case .conflict(let word, _, let isOfFile, let isLost) in RequestField.all.lazy.map(\.joining) {
            add(word, if: (isOfFile || !joining.isRestored) && words.last != word && isLost(joining))
        }
    }

    mutating func add(_ others: RequestDifferences) {
        words += others.words
    }

    private mutating func add(_ word: String, if isDifferent: Bool) {
        if isDifferent { words.append(word) }
    }

    /// The names of headers that only one has, or whose values differ, ignoring letter case.
    private static func names(in first: [String: String], otherThanIn second: [String: String]) -> [String] {
        if first == second { return [] }
        let fields = [first, second].map { headers in
            Dictionary(grouping: headers.sorted { $0 < $1 }) { $0.key.lowercased() }
        }
        return Set(fields[0].keys).union(fields[1].keys).sorted().compactMap { name in
            let (first, second) = (fields[0][name] ?? [], fields[1][name] ?? [])
            return first.map(\.value) == second.map(\.value) ? nil : (first + second).first?.key
        }
    }
}
