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

/// Why two requests for one URL cannot be one download.
struct RequestDifferences {
    /// Words for a message. Only names: the values may be secrets.
    private(set) var words: [String] = []

    var isEmpty: Bool { words.isEmpty }

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
        var isSameName = first.naming == second.naming
        if isRestored, !isSameName {
            let names = [first, second].map { request in
                request.naming.candidates(for: request.url).first { _ in true }
            }
            isSameName = names[0] == names[1]
        }
        add("file name", if: !isSameName)
        add("folder", if: first.directory != second.directory)
    }

    /// Compares the accepted files.
    ///
    /// - Parameter isRestored: whether the first was found on disk. It fetches the server's present file in any case.
    mutating func compare(_ first: DownloadRequest, _ second: DownloadRequest, isRestored: Bool = false) {
        let pieces = [first, second].map { $0.metalink?.pieces }
        // A long list of pieces is not stored.
        let isSamePieces = pieces[0] == pieces[1] || isRestored && pieces[0] == nil
        add("checksum", if: first.checksum != second.checksum || !isSamePieces)
        add("expected size", if: first.expectedBytes != second.expectedBytes)
        add("largest size", if: first.maximumBytes != second.maximumBytes)
        add("check for an update", if: !isRestored && first.checksForUpdate != second.checksForUpdate)
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
